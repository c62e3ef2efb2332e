// Which partitions Apache Kafka's own producer picks for 100,000 keys, as a checksum for
// src/kafka/client/partitioner_test.cpp. See README.md.
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

public class PartitionSamples {
    public static void main(String[] args) {
        CRC32C crc = new CRC32C();
        long state = 42;
        for (int i = 0; i < 100_000; i++) {
            state = next(state);
            byte[] key = new byte[(int) (state >>> 33) % 40];
            for (int j = 0; j < key.length; j++) {
                state = next(state);
                key[j] = (byte) (state >>> 56);
            }
            state = next(state);
            int numPartitions = 1 + (int) (state >>> 33) % 1000;
            int partition = BuiltInPartitioner.partitionForKey(key, numPartitions);
            crc.update(ByteBuffer.allocate(4).putInt(partition).array());
        }
        System.out.printf("0x%08x%n", crc.getValue());
    }

    private static long next(long state) {
        return state * 6364136223846793005L + 1442695040888963407L;
    }
}
