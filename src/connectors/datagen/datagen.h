#pragma once

#include <memory>

#include "yeoul/connectors/api/table_factory.h"

namespace yeoul {

/// The connector 'datagen': rows of random or counted values at a given rate, bounded when 'number-of-rows' is set or a
/// field is a sequence. Unlike Flink's, the values depend on nothing but the table's name, the column and the row's
/// number, so a restored job goes on with the rows it would have made.
std::unique_ptr<TableFactory> make_datagen_connector();

}  // namespace yeoul
