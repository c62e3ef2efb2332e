#pragma once

/// The DataStream API, all of it: `#include "yeoul/datastream/datastream.h"`.

#include "yeoul/datastream/connected_streams.h"
#include "yeoul/datastream/data_stream.h"
#include "yeoul/datastream/keyed_stream.h"
#include "yeoul/datastream/stream_execution_environment.h"
#include "yeoul/datastream/windowed_stream.h"
