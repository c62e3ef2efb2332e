#include "yeoul/formats/api/format.h"
