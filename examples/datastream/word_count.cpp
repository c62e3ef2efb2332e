// Counts words, the "hello world" of stream processing.
//
// What it shows: how a program begins and ends, and the functions that look at one record at a time.

#include <cctype>

#include "yeoul/datastream/datastream.h"

namespace {

// A record of a stream is a plain struct. fields() gives it a name and a layout that checkpoints can store; a struct
// that is never a key nor kept in state can do without, but print() shows it the nicer with it.
struct WordCount {
  std::string word;
  int64_t count = 0;

  static constexpr auto fields() {
    return yeoul::describe("WordCount", 1, yeoul::field("word", &WordCount::word),
                           yeoul::field("count", &WordCount::count));
  }
};

// One line in, any number of words out: that is what flat_map() is for.
void split_words(const std::string& line, yeoul::Collector<WordCount>& out) {
  std::string word;
  for (const char c : line + " ") {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      out.collect({std::exchange(word, ""), 1});
    }
  }
}

}  // namespace

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();

  // Nothing runs yet: each call adds an operator to a description of the job.
  env.from_collection<std::string>({"The brook babbles,", "the river runs,", "the sea waits."})
      .flat_map(split_words)
      // All records of one word go to one subtask, which keeps what it has counted so far as keyed state.
      .key_by([](const WordCount& count) { return count.word; })
      // A rolling reduce: a new count comes out for every word that goes in, as a stream has no end to wait for.
      .reduce([](const WordCount& a, const WordCount& b) {
        return WordCount{a.word, a.count + b.count};
      })
      .print();

  env.execute("word count");
}
