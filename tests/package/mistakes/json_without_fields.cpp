// expected: JsonDeserializationSchema needs a struct with fields(), whose names are the keys of the objects
#include "yeoul/datastream/json_schema.h"

struct Click {
  int user;
};

int main() {
  yeoul::JsonDeserializationSchema<Click> schema;
}
