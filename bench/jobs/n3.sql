-- The two columns of n2 into nothing: what its generator costs.
CREATE TEMPORARY TABLE g (auction BIGINT, price BIGINT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '${ROWS}', 'rows-per-second' = '100000000',
  'fields.auction.min' = '1000', 'fields.auction.max' = '1999', 'fields.price.min' = '1', 'fields.price.max' = '10000'
);
CREATE TEMPORARY TABLE nothing (auction BIGINT, price BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO nothing SELECT * FROM g;
