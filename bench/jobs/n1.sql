-- Generated rows of three numbers and a text into nothing.
CREATE TEMPORARY TABLE g (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, dt AS CAST(LOCALTIMESTAMP AS TIMESTAMP(3))
) WITH (
  'connector' = 'datagen', 'number-of-rows' = '${ROWS}', 'rows-per-second' = '100000000',
  'fields.auction.min' = '1000', 'fields.auction.max' = '1999',
  'fields.bidder.min' = '1', 'fields.bidder.max' = '100000',
  'fields.price.min' = '1', 'fields.price.max' = '10000', 'fields.channel.length' = '8'
);
CREATE TEMPORARY TABLE nothing (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING
) WITH ('connector' = 'blackhole');
INSERT INTO nothing SELECT auction, bidder, price, channel FROM g;
