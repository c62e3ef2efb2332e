#include "yeoul/sql/functions/regular_expression.h"

#include <algorithm>
#include <map>

#include "yeoul/common/utf8.h"
#include "yeoul/sql/functions/case_mapping.h"

namespace yeoul {

namespace {

constexpr int kUnbounded = -1;
constexpr size_t kStepsMax = 1'000'000;
constexpr int kDepthMax = 4000;

struct CharacterRange {
  uint32_t low;
  uint32_t high;
};

struct CharacterClass {
  std::vector<CharacterRange> ranges;
  std::vector<CharacterClass> negated_parts;  ///< matches what none of these matches, too
  std::vector<CharacterClass> required;       ///< && intersections
  bool negated = false;

  bool contains(uint32_t c) const {
    bool in =
        std::any_of(ranges.begin(), ranges.end(), [c](const CharacterRange& r) { return c >= r.low && c <= r.high; });
    for (const CharacterClass& part : negated_parts) in = in || part.contains(c);
    for (const CharacterClass& part : required) in = in && part.contains(c);
    return in != negated;
  }
};

struct Node {
  enum class Kind : uint8_t {
    kCharacter,
    kClass,
    kAny,
    kGroup,      ///< capturing, `group` > 0, or not
    kReference,  ///< \1
    kRepeat,
    kStart,
    kEnd,
    kTextStart,
    kTextEnd,
    kTextEndOrNewline,
    kWordBoundary,
    kNotWordBoundary,
    kLook,
    kAtomic,
  };
  enum class Greed : uint8_t { kGreedy, kLazy, kPossessive };

  Kind kind = Kind::kCharacter;
  uint32_t character = 0;
  CharacterClass characters;
  std::vector<std::vector<Node>> alternatives;  ///< of groups, looks; a repeat has one with one node
  int group = 0;
  int low = 0;
  int high = 0;
  Greed greed = Greed::kGreedy;
  bool ignore_case = false;
  bool dot_all = false;
  bool multi_line = false;
  bool behind = false;
  bool negative = false;
};

CharacterClass class_of(std::initializer_list<CharacterRange> ranges, bool negated = false) {
  CharacterClass c;
  c.ranges = ranges;
  c.negated = negated;
  return c;
}

CharacterClass digits() {
  return class_of({{'0', '9'}});
}
CharacterClass word_characters() {
  return class_of({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}});
}
CharacterClass spaces() {
  return class_of({{9, 13}, {' ', ' '}});
}

bool is_word(uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

struct Flags {
  bool ignore_case = false;
  bool dot_all = false;
  bool multi_line = false;
};

/// Thrown inside compile() only.
struct BadPattern {};

class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  std::vector<std::vector<Node>> parse() {
    std::vector<std::vector<Node>> alternatives = parse_alternatives();
    if (at_ != pattern_.size()) throw BadPattern();
    return alternatives;
  }
  int num_groups() const { return num_groups_; }

 private:
  bool more() const { return at_ < pattern_.size(); }
  char peek() const { return more() ? pattern_[at_] : '\0'; }
  bool accept(std::string_view text) {
    if (!pattern_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  uint32_t next() {
    if (!more()) throw BadPattern();
    return utf8_next(pattern_, at_);
  }

  std::vector<std::vector<Node>> parse_alternatives() {
    if (++depth_ > 200) throw BadPattern();
    const Flags outer = flags_;
    std::vector<std::vector<Node>> alternatives(1);
    while (more() && peek() != ')') {
      if (accept("|")) {
        alternatives.emplace_back();
        continue;
      }
      parse_atom(alternatives.back());
    }
    flags_ = outer;
    --depth_;
    return alternatives;
  }

  Node with_flags(Node::Kind kind) const {
    Node node;
    node.kind = kind;
    node.ignore_case = flags_.ignore_case;
    node.dot_all = flags_.dot_all;
    node.multi_line = flags_.multi_line;
    return node;
  }

  Node character(uint32_t c) const {
    Node node = with_flags(Node::Kind::kCharacter);
    node.character = c;
    return node;
  }

  Node class_node(CharacterClass characters) const {
    Node node = with_flags(Node::Kind::kClass);
    node.characters = std::move(characters);
    return node;
  }

  void parse_atom(std::vector<Node>& out) {
    const char c = peek();
    Node node;
    if (accept("\\Q")) {
      const size_t end = pattern_.find("\\E", at_);
      while (at_ < std::min(end, pattern_.size())) out.push_back(character(next()));
      accept("\\E");
      return;
    }
    switch (c) {
      case '(':
        ++at_;
        if (!parse_group(node)) return;
        break;
      case '[':
        ++at_;
        node = class_node(parse_class());
        break;
      case '.':
        ++at_;
        node = with_flags(Node::Kind::kAny);
        break;
      case '^':
        ++at_;
        node = with_flags(Node::Kind::kStart);
        break;
      case '$':
        ++at_;
        node = with_flags(Node::Kind::kEnd);
        break;
      case '\\':
        ++at_;
        node = parse_escape();
        break;
      case '*':
      case '+':
      case '?':
        throw BadPattern();
      default:
        node = character(next());
        break;
    }
    parse_quantifiers(node);
    out.push_back(std::move(node));
  }

  void parse_quantifiers(Node& node) {
    while (more()) {
      int low = 0;
      int high = kUnbounded;
      if (accept("*")) {
      } else if (accept("+")) {
        low = 1;
      } else if (accept("?")) {
        high = 1;
      } else if (accept("{")) {
        low = number();
        high = low;
        if (accept(",")) high = peek() == '}' ? kUnbounded : number();
        if (!accept("}") || (high != kUnbounded && high < low)) throw BadPattern();
      } else {
        return;
      }
      Node repeat;
      repeat.kind = Node::Kind::kRepeat;
      repeat.low = low;
      repeat.high = high;
      if (accept("?")) repeat.greed = Node::Greed::kLazy;
      if (accept("+")) repeat.greed = Node::Greed::kPossessive;
      repeat.alternatives.resize(1);
      repeat.alternatives[0].push_back(std::move(node));
      node = std::move(repeat);
      if (peek() == '*' || peek() == '?' || peek() == '+') throw BadPattern();
    }
  }

  int number() {
    int value = 0;
    const size_t start = at_;
    while (peek() >= '0' && peek() <= '9' && value < 100000) value = value * 10 + (pattern_[at_++] - '0');
    if (at_ == start) throw BadPattern();
    return value;
  }

  /// Behind "(". False for flags alone, which make no node.
  bool parse_group(Node& node) {
    node = with_flags(Node::Kind::kGroup);
    const Flags outer = flags_;
    bool named = false;
    if (accept("?")) {
      if (accept("=") || accept("!") || accept("<=") || accept("<!")) {
        node.kind = Node::Kind::kLook;
        node.negative = pattern_[at_ - 1] == '!';
        node.behind = pattern_[at_ - 2] == '<';
      } else if (accept(">")) {
        node.kind = Node::Kind::kAtomic;
      } else if (accept("<")) {
        const size_t end = pattern_.find('>', at_);
        if (end == std::string_view::npos || end == at_) throw BadPattern();
        names_[std::string(pattern_.substr(at_, end - at_))] = num_groups_ + 1;
        at_ = end + 1;
        named = true;
      } else if (parse_flags()) {
        return false;
      }
    } else {
      named = true;
    }
    if (named) node.group = ++num_groups_;
    node.alternatives = parse_alternatives();
    if (!accept(")")) throw BadPattern();
    flags_ = outer;
    return true;
  }

  /// "i)", "s-i)" set flags for the rest of the group and return true; "i:" and ":" open a group.
  bool parse_flags() {
    bool on = true;
    while (more()) {
      const char c = pattern_[at_++];
      if (c == ')') return true;
      if (c == ':') return false;
      if (c == '-') {
        on = false;
      } else if (c == 'i') {
        flags_.ignore_case = on;
      } else if (c == 's') {
        flags_.dot_all = on;
      } else if (c == 'm') {
        flags_.multi_line = on;
      } else if (c != 'u' && c != 'U' && c != 'd') {
        throw BadPattern();
      }
    }
    throw BadPattern();
  }

  Node parse_escape() {
    const char c = peek();
    if (c >= '1' && c <= '9') {
      ++at_;
      Node node = with_flags(Node::Kind::kReference);
      node.group = c - '0';
      if (node.group > num_groups_) throw BadPattern();
      return node;
    }
    if (accept("k<")) {
      const size_t end = pattern_.find('>', at_);
      const auto found = names_.find(std::string(pattern_.substr(at_, end - at_)));
      if (end == std::string_view::npos || found == names_.end()) throw BadPattern();
      at_ = end + 1;
      Node node = with_flags(Node::Kind::kReference);
      node.group = found->second;
      return node;
    }
    if (accept("b")) return with_flags(Node::Kind::kWordBoundary);
    if (accept("B")) return with_flags(Node::Kind::kNotWordBoundary);
    if (accept("A")) return with_flags(Node::Kind::kTextStart);
    if (accept("z")) return with_flags(Node::Kind::kTextEnd);
    if (accept("Z")) return with_flags(Node::Kind::kTextEndOrNewline);
    CharacterClass characters;
    if (escape_class(characters)) return class_node(std::move(characters));
    return character(escape_character());
  }

  /// \d \D \w \W \s \S \h \p{…} \P{…}
  bool escape_class(CharacterClass& out) {
    const char c = peek();
    CharacterClass base;
    switch (c) {
      case 'd':
      case 'D':
        base = digits();
        break;
      case 'w':
      case 'W':
        base = word_characters();
        break;
      case 's':
      case 'S':
        base = spaces();
        break;
      case 'h':
      case 'H':
        base = class_of({{'\t', '\t'}, {' ', ' '}, {0xa0, 0xa0}, {0x2000, 0x200a}, {0x3000, 0x3000}});
        break;
      case 'p':
      case 'P':
        ++at_;
        base = property();
        base.negated = c == 'P';
        out = std::move(base);
        return true;
      default:
        return false;
    }
    ++at_;
    base.negated = c >= 'A' && c <= 'Z';
    out = std::move(base);
    return true;
  }

  CharacterClass property() {
    std::string name;
    if (accept("{")) {
      const size_t end = pattern_.find('}', at_);
      if (end == std::string_view::npos) throw BadPattern();
      name = pattern_.substr(at_, end - at_);
      at_ = end + 1;
    } else {
      name = std::string(1, static_cast<char>(next()));
    }
    for (const std::string_view prefix : {"Is", "In", "script=", "sc="}) {
      if (name.starts_with(prefix) && name.size() > prefix.size()) name.erase(0, prefix.size());
    }
    static const std::map<std::string_view, std::vector<CharacterRange>> kProperties = {
        {"Digit", {{'0', '9'}}},
        {"Nd", {{'0', '9'}, {0x660, 0x669}, {0x966, 0x96f}, {0xff10, 0xff19}}},
        {"N", {{'0', '9'}, {0x660, 0x669}, {0x966, 0x96f}, {0xff10, 0xff19}}},
        {"Alpha", {{'A', 'Z'}, {'a', 'z'}}},
        {"Alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
        {"Upper", {{'A', 'Z'}}},
        {"Lower", {{'a', 'z'}}},
        {"Space", {{9, 13}, {' ', ' '}}},
        {"Punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
        {"ASCII", {{0, 127}}},
        {"XDigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
        {"Lu", {{'A', 'Z'}, {0xc0, 0xd6}, {0xd8, 0xde}, {0x391, 0x3a9}, {0x410, 0x42f}}},
        {"Ll", {{'a', 'z'}, {0xdf, 0xf6}, {0xf8, 0xff}, {0x3b1, 0x3c9}, {0x430, 0x45f}}},
        {"L",
         {{'A', 'Z'},        {'a', 'z'},       {0xaa, 0xaa},     {0xb5, 0xb5},     {0xba, 0xba},     {0xc0, 0xd6},
          {0xd8, 0xf6},      {0xf8, 0x2c1},    {0x370, 0x373},   {0x376, 0x37d},   {0x386, 0x481},   {0x48a, 0x559},
          {0x561, 0x587},    {0x5d0, 0x5ea},   {0x620, 0x64a},   {0x671, 0x6d3},   {0x904, 0x939},   {0xe01, 0xe30},
          {0x10a0, 0x10ff},  {0x1100, 0x11ff}, {0x1e00, 0x1fff}, {0x3041, 0x3096}, {0x30a1, 0x30fa}, {0x3131, 0x318e},
          {0x3400, 0x4dbf},  {0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xff21, 0xff3a}, {0xff41, 0xff5a},
          {0x20000, 0x2fa1f}}},
        {"Hangul", {{0x1100, 0x11ff}, {0x3131, 0x318e}, {0xac00, 0xd7a3}}},
        {"Han", {{0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0x20000, 0x2fa1f}}},
        {"Hiragana", {{0x3041, 0x309f}}},
        {"Katakana", {{0x30a0, 0x30ff}}},
        {"Latin", {{'A', 'Z'}, {'a', 'z'}, {0xc0, 0x24f}, {0x1e00, 0x1eff}}},
        {"Cyrillic", {{0x400, 0x52f}}},
        {"Greek", {{0x370, 0x3ff}, {0x1f00, 0x1fff}}},
        {"P",
         {{'!', '#'},
          {'%', '*'},
          {',', '/'},
          {':', ';'},
          {'?', '@'},
          {'[', ']'},
          {'_', '_'},
          {'{', '{'},
          {'}', '}'},
          {0x2010, 0x2027},
          {0x3001, 0x3003},
          {0x3008, 0x3011},
          {0xff01, 0xff0f}}},
        {"Z", {{' ', ' '}, {0xa0, 0xa0}, {0x2000, 0x200a}, {0x3000, 0x3000}}},
    };
    static const std::map<std::string_view, std::string_view> kAliases = {
        {"Alphabetic", "L"}, {"Letter", "L"}, {"Uppercase", "Lu"}, {"Lowercase", "Ll"}, {"javaLetter", "L"}};
    const auto alias = kAliases.find(name);
    const auto found = kProperties.find(alias == kAliases.end() ? std::string_view(name) : alias->second);
    if (found == kProperties.end()) throw BadPattern();
    CharacterClass characters;
    characters.ranges = found->second;
    return characters;
  }

  uint32_t hex(size_t digits_count) {
    uint32_t value = 0;
    for (size_t i = 0; i < digits_count; ++i) {
      const char c = peek();
      const std::string_view kDigits = "0123456789abcdef";
      const size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
      if (!more() || digit == std::string_view::npos) throw BadPattern();
      value = value * 16 + static_cast<uint32_t>(digit);
      ++at_;
    }
    return value;
  }

  uint32_t escape_character() {
    const uint32_t c = next();
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'a':
        return 7;
      case 'e':
        return 27;
      case '0':
        return 0;
      case 'x':
        return hex(2);
      case 'u':
        return hex(4);
      default:
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) throw BadPattern();
        return c;
    }
  }

  /// Behind "[".
  CharacterClass parse_class() {
    if (++depth_ > 200) throw BadPattern();
    CharacterClass out;
    out.negated = accept("^");
    bool first = true;
    while (true) {
      if (!more()) throw BadPattern();
      if (!first && accept("]")) break;
      first = false;
      if (accept("&&")) {
        CharacterClass part;
        if (accept("[")) {
          part = parse_class();
        } else {
          --at_;  // read the rest as the inside of a class of its own
          ++at_;
          part = parse_class();
          out.required.push_back(std::move(part));
          break;
        }
        out.required.push_back(std::move(part));
        continue;
      }
      if (accept("[")) {
        out.negated_parts.push_back(parse_class());
        continue;
      }
      if (peek() == '\\') {
        ++at_;
        CharacterClass part;
        if (escape_class(part)) {
          out.negated_parts.push_back(std::move(part));
          continue;
        }
        add_range(out, escape_character());
        continue;
      }
      add_range(out, next());
    }
    --depth_;
    return out;
  }

  void add_range(CharacterClass& out, uint32_t low) {
    uint32_t high = low;
    if (peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']' && pattern_[at_ + 1] != '[') {
      ++at_;
      high = accept("\\") ? escape_character() : next();
      if (high < low) throw BadPattern();
    }
    out.ranges.push_back({low, high});
  }

  std::string_view pattern_;
  size_t at_ = 0;
  int depth_ = 0;
  int num_groups_ = 0;
  Flags flags_;
  std::map<std::string, int> names_;
};

using Span = RegularExpression::Span;

/// Backtracks with explicit continuations: match(node list, position, what follows).
class Matcher {
 public:
  Matcher(std::string_view text, size_t num_groups) : text_(text), groups_(num_groups + 1) {}

  bool match_at(const std::vector<std::vector<Node>>& alternatives, size_t start, bool whole, size_t& end) {
    struct Done final : Continuation {
      bool resume(Matcher& matcher, size_t at) override {
        if (whole && at != matcher.text_.size()) return false;
        end = at;
        return true;
      }
      bool whole = false;
      size_t end = 0;
    } done;
    done.whole = whole;
    std::fill(groups_.begin(), groups_.end(), Span());
    for (const std::vector<Node>& sequence : alternatives) {
      if (match_sequence(sequence, 0, start, done)) {
        end = done.end;
        return true;
      }
    }
    return false;
  }
  std::vector<Span>& groups() { return groups_; }
  bool exhausted() const { return steps_ > kStepsMax; }

 private:
  struct Continuation {
    virtual bool resume(Matcher& matcher, size_t at) = 0;

   protected:
    ~Continuation() = default;
  };

  struct Rest final : Continuation {
    Rest(const std::vector<Node>& sequence, size_t index, Continuation& after)
        : sequence(sequence), index(index), after(after) {}
    bool resume(Matcher& matcher, size_t at) override { return matcher.match_sequence(sequence, index, at, after); }
    const std::vector<Node>& sequence;
    size_t index;
    Continuation& after;
  };

  struct CloseGroup final : Continuation {
    CloseGroup(int group, size_t begin, Continuation& after) : group(group), begin(begin), after(after) {}
    bool resume(Matcher& matcher, size_t at) override {
      Span& span = matcher.groups_[static_cast<size_t>(group)];
      const Span before = span;
      span = {begin, at};
      if (after.resume(matcher, at)) return true;
      span = before;
      return false;
    }
    int group;
    size_t begin;
    Continuation& after;
  };

  struct NextRound final : Continuation {
    NextRound(const Node& repeat, int count, size_t begin, Continuation& after)
        : repeat(repeat), count(count), begin(begin), after(after) {}
    bool resume(Matcher& matcher, size_t at) override {
      if (at == begin && count >= repeat.low) return after.resume(matcher, at);
      return matcher.match_repeat(repeat, count + 1, at, after);
    }
    const Node& repeat;
    int count;
    size_t begin;
    Continuation& after;
  };

  struct Accept final : Continuation {
    bool resume(Matcher&, size_t at) override {
      end = at;
      return wanted == std::string_view::npos || at == wanted;
    }
    size_t wanted = std::string_view::npos;
    size_t end = 0;
  };

  bool match_sequence(const std::vector<Node>& sequence, size_t index, size_t at, Continuation& after) {
    while (index < sequence.size()) {
      const Node& node = sequence[index];
      if (++steps_ > kStepsMax || depth_ > kDepthMax) return false;
      if (is_simple(node)) {
        if (!match_simple(node, at)) return false;
        ++index;
        continue;
      }
      ++depth_;
      Rest rest(sequence, index + 1, after);
      const bool matched = match_compound(node, at, rest);
      --depth_;
      return matched;
    }
    return after.resume(*this, at);
  }

  static bool is_simple(const Node& node) {
    return node.kind != Node::Kind::kGroup && node.kind != Node::Kind::kRepeat && node.kind != Node::Kind::kLook &&
           node.kind != Node::Kind::kAtomic;
  }

  bool match_compound(const Node& node, size_t at, Continuation& after) {
    switch (node.kind) {
      case Node::Kind::kGroup:
        if (node.group > 0) {
          CloseGroup close(node.group, at, after);
          return match_alternatives(node, at, close);
        }
        return match_alternatives(node, at, after);
      case Node::Kind::kRepeat:
        return match_repeat(node, 0, at, after);
      case Node::Kind::kAtomic: {
        Accept accept;
        return match_alternatives(node, at, accept) && after.resume(*this, accept.end);
      }
      default:
        return look(node, at) != node.negative && after.resume(*this, at);
    }
  }

  bool match_alternatives(const Node& node, size_t at, Continuation& after) {
    for (const std::vector<Node>& sequence : node.alternatives) {
      if (match_sequence(sequence, 0, at, after)) return true;
    }
    return false;
  }

  bool look(const Node& node, size_t at) {
    Accept accept;
    if (!node.behind) return match_alternatives(node, at, accept);
    accept.wanted = at;
    for (size_t start = 0; start <= at; ++start) {
      if (match_alternatives(node, start, accept)) return true;
    }
    return false;
  }

  bool match_repeat(const Node& repeat, int count, size_t at, Continuation& after) {
    const std::vector<Node>& body = repeat.alternatives[0];
    if (is_simple(body[0]) && count == 0) return match_simple_repeat(repeat, body[0], at, after);
    if (++steps_ > kStepsMax || depth_ > kDepthMax) return false;
    ++depth_;
    const bool matched = match_round(repeat, body, count, at, after);
    --depth_;
    return matched;
  }

  bool match_round(const Node& repeat, const std::vector<Node>& body, int count, size_t at, Continuation& after) {
    const bool may_stop = count >= repeat.low;
    const bool may_go_on = repeat.high == kUnbounded || count < repeat.high;
    if (repeat.greed == Node::Greed::kPossessive) {
      while (may_go_on && (repeat.high == kUnbounded || count < repeat.high)) {
        Accept accept;
        if (!match_sequence(body, 0, at, accept) || accept.end == at) break;
        at = accept.end;
        ++count;
      }
      return count >= repeat.low && after.resume(*this, at);
    }
    NextRound next(repeat, count, at, after);
    if (repeat.greed == Node::Greed::kLazy) {
      if (may_stop && after.resume(*this, at)) return true;
      return may_go_on && match_sequence(body, 0, at, next);
    }
    if (may_go_on && match_sequence(body, 0, at, next)) return true;
    return may_stop && after.resume(*this, at);
  }

  /// x*, [a-z]+, .*? and the like: no recursion a character.
  bool match_simple_repeat(const Node& repeat, const Node& body, size_t at, Continuation& after) {
    std::vector<size_t> ends{at};
    const auto advance = [&] {
      size_t next = ends.back();
      if (!match_simple(body, next) || next == ends.back()) return false;
      ends.push_back(next);
      return true;
    };
    const auto count = [&] { return static_cast<int>(ends.size()) - 1; };
    while (count() < repeat.low) {
      size_t next = ends.back();
      if (!match_simple(body, next)) return false;
      if (next == ends.back()) return after.resume(*this, next);
      ends.push_back(next);
    }
    if (repeat.greed == Node::Greed::kLazy) {
      while (true) {
        if (after.resume(*this, ends.back())) return true;
        if ((repeat.high != kUnbounded && count() >= repeat.high) || ++steps_ > kStepsMax || !advance()) return false;
      }
    }
    while ((repeat.high == kUnbounded || count() < repeat.high) && advance()) ++steps_;
    if (repeat.greed == Node::Greed::kPossessive) return after.resume(*this, ends.back());
    while (true) {
      if (after.resume(*this, ends.back())) return true;
      if (count() <= repeat.low || ++steps_ > kStepsMax) return false;
      ends.pop_back();
    }
  }

  bool match_simple(const Node& node, size_t& at) {
    switch (node.kind) {
      case Node::Kind::kCharacter:
      case Node::Kind::kClass:
      case Node::Kind::kAny:
        return match_character(node, at);
      case Node::Kind::kReference:
        return match_reference(node, at);
      case Node::Kind::kStart:
        return at == 0 || (node.multi_line && text_[at - 1] == '\n');
      case Node::Kind::kTextStart:
        return at == 0;
      case Node::Kind::kTextEnd:
        return at == text_.size();
      case Node::Kind::kEnd:
        if (node.multi_line && at < text_.size() && text_[at] == '\n') return true;
        return at == text_.size() || (at + 1 == text_.size() && text_[at] == '\n');
      case Node::Kind::kTextEndOrNewline:
        return at == text_.size() || (at + 1 == text_.size() && text_[at] == '\n');
      case Node::Kind::kWordBoundary:
        return at_boundary(at);
      case Node::Kind::kNotWordBoundary:
        return !at_boundary(at);
      default:
        return false;
    }
  }

  bool match_character(const Node& node, size_t& at) {
    if (at >= text_.size()) return false;
    size_t next = at;
    const uint32_t c = utf8_next(text_, next);
    bool matched = false;
    if (node.kind == Node::Kind::kAny) {
      matched = node.dot_all || (c != '\n' && c != '\r' && c != 0x85 && c != 0x2028 && c != 0x2029);
    } else if (node.kind == Node::Kind::kCharacter) {
      matched = c == node.character || (node.ignore_case && to_lower(c) == to_lower(node.character));
    } else {
      matched = node.characters.contains(c) ||
                (node.ignore_case && (node.characters.contains(to_lower(c)) || node.characters.contains(to_upper(c))));
    }
    if (matched) at = next;
    return matched;
  }

  bool match_reference(const Node& node, size_t& at) {
    const Span span = groups_[static_cast<size_t>(node.group)];
    if (!span.present()) return false;
    const std::string_view earlier = text_.substr(span.begin, span.end - span.begin);
    if (!text_.substr(at).starts_with(earlier)) return false;
    at += earlier.size();
    return true;
  }

  bool at_boundary(size_t at) const {
    const bool before = at > 0 && is_word(static_cast<uint8_t>(text_[at - 1]));
    const bool after = at < text_.size() && is_word(static_cast<uint8_t>(text_[at]));
    return before != after;
  }

  std::string_view text_;
  std::vector<Span> groups_;
  size_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace

struct RegularExpression::Program {
  std::vector<std::vector<Node>> alternatives;
  size_t num_groups = 0;
};

RegularExpression::RegularExpression(std::unique_ptr<Program> program) : program_(std::move(program)) {}
RegularExpression::~RegularExpression() = default;

std::unique_ptr<RegularExpression> RegularExpression::compile(std::string_view pattern) {
  auto program = std::make_unique<Program>();
  try {
    Parser parser(pattern);
    program->alternatives = parser.parse();
    program->num_groups = static_cast<size_t>(parser.num_groups());
  } catch (const BadPattern&) {
    return nullptr;
  }
  return std::unique_ptr<RegularExpression>(new RegularExpression(std::move(program)));
}

std::vector<RegularExpression::Span> RegularExpression::find(std::string_view text, size_t start) const {
  Matcher matcher(text, program_->num_groups);
  for (size_t at = start; at <= text.size();) {
    size_t end = 0;
    if (matcher.match_at(program_->alternatives, at, false, end)) {
      matcher.groups()[0] = {at, end};
      return std::move(matcher.groups());
    }
    if (matcher.exhausted()) break;
    at += at < text.size() ? utf8_width(text[at]) : 1;
  }
  return {};
}

bool RegularExpression::matches(std::string_view text) const {
  Matcher matcher(text, program_->num_groups);
  size_t end = 0;
  return matcher.match_at(program_->alternatives, 0, true, end);
}

size_t RegularExpression::num_groups() const {
  return program_->num_groups;
}

}  // namespace yeoul
