-- Generated rows grouped by one of 1,000 keys.
CREATE TEMPORARY TABLE g (auction BIGINT, price BIGINT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '${ROWS}', 'rows-per-second' = '100000000',
  'fields.auction.min' = '1000', 'fields.auction.max' = '1999', 'fields.price.min' = '1', 'fields.price.max' = '10000'
);
CREATE TEMPORARY TABLE nothing (auction BIGINT, c BIGINT, m BIGINT, s BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO nothing SELECT auction, COUNT(*), MAX(price), SUM(price) FROM g GROUP BY auction;
