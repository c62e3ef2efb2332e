// Apache Kafka's own client as the peer of Yeoul's. See README.md.
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class RecordStreams {
    /** write|read BOOTSTRAP property=value,… then TOPIC FILE [property=value,…] for each topic; "-": no property. */
    public static void main(String[] args) throws Exception {
        for (int i = 3; i + 2 < args.length; i += 3) {
            Properties properties = new Properties();
            properties.put("bootstrap.servers", args[1]);
            add(properties, args[2]);
            add(properties, args[i + 2]);
            if (args[0].equals("write")) {
                write(properties, args[i], args[i + 1]);
            } else {
                read(properties, args[i], args[i + 1]);
            }
        }
    }

    private static void add(Properties properties, String settings) {
        for (String setting : settings.equals("-") ? new String[0] : settings.split(",")) {
            properties.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
    }

    private static void write(Properties properties, String topic, String file) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer =
                 new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
             DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(file)))) {
            while (true) {
                long timestamp;
                try {
                    timestamp = in.readLong();
                } catch (EOFException end) {
                    break;
                }
                byte[] key = readBytes(in);
                byte[] value = readBytes(in);
                List<Header> headers = new ArrayList<>();
                for (int n = in.readInt(); n > 0; n--) {
                    String name = new String(readBytes(in), StandardCharsets.UTF_8);
                    headers.add(new RecordHeader(name, readBytes(in)));
                }
                sent.add(producer.send(new ProducerRecord<>(topic, 0, timestamp, key, value, headers)));
            }
            producer.flush();
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
        }
    }

    private static void read(Properties properties, String topic, String file) throws IOException {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<byte[], byte[]> consumer =
                 new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(file)))) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    out.writeLong(record.timestamp());
                    writeBytes(out, record.key());
                    writeBytes(out, record.value());
                    out.writeInt(record.headers().toArray().length);
                    for (Header header : record.headers()) {
                        writeBytes(out, header.key().getBytes(StandardCharsets.UTF_8));
                        writeBytes(out, header.value());
                    }
                }
            }
        }
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        int size = in.readInt();
        return size < 0 ? null : in.readNBytes(size);
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes == null ? -1 : bytes.length);
        if (bytes != null) {
            out.write(bytes);
        }
    }
}
