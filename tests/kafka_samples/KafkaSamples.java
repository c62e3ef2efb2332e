// What Apache Kafka's own classes put on the wire, as the facts of src/kafka/protocol's unit tests. See README.md.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;

public class KafkaSamples {
    public static void main(String[] args) throws Exception {
        try (PrintWriter out = new PrintWriter(args[1], StandardCharsets.UTF_8)) {
            out.println("// Made by tests/kafka_samples/KafkaSamples.java.\n// clang-format off");
            out.println("#include \"yeoul/kafka/protocol/message_samples_test.h\"\n\nnamespace yeoul {\nnamespace {\n");
            out.println("constexpr MessageSample kMessageSamples[] = {");
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                message(line.split("\t"), out);
            }
            out.println("};\n\nconstexpr RecordSample kRecordSamples[] = {");
            for (byte magic = 0; magic <= 2; magic++) {
                for (CompressionType type : CompressionType.values()) {
                    for (TimestampType time : new TimestampType[] {TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME}) {
                        records(magic, type, time, out);
                    }
                }
            }
            out.println("};\n\n}  // namespace\n");
            out.println("std::span<const MessageSample> message_samples() {\n  return kMessageSamples;\n}\n");
            out.println("std::span<const RecordSample> record_samples() {\n  return kRecordSamples;\n}\n");
            out.println("}  // namespace yeoul");
        }
    }

    private static void message(String[] columns, PrintWriter out) throws Exception {
        short version = Short.parseShort(columns[1]);
        JsonNode json = new ObjectMapper().readTree(columns[3]);
        Class<?> converter = Class.forName("org.apache.kafka.common.message." + columns[0] + "DataJsonConverter");
        Message message;
        try {
            message = (Message) converter.getMethod("read", JsonNode.class, short.class).invoke(null, json, version);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(columns[0] + " " + version + " " + columns[3], e.getCause());
        }
        ByteBuffer bytes = MessageUtil.toByteBufferAccessor(message, version).buffer();
        CRC32C crc = new CRC32C();
        int size = bytes.remaining();
        crc.update(bytes);
        out.printf("    {\"%s\", %d, %s, %d, 0x%08x},%n", columns[0], version, columns[2].equals("1"), size, crc.getValue());
    }

    private static void records(byte magic, CompressionType type, TimestampType time, PrintWriter out) {
        if ((magic == 0 && time == TimestampType.LOG_APPEND_TIME) || (magic < 2 && type == CompressionType.ZSTD)) {
            return;
        }
        Header[] headers = magic < 2 ? new Header[0]
            : new Header[] {new RecordHeader("h", bytes("x")), new RecordHeader("", null)};
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(4096), magic, Compression.of(type).build(),
            time, 1000L, 1700000009999L);
        String text = "0123456789".repeat(30);
        builder.append(1700000000000L, bytes("k"), bytes("v"));
        builder.append(1700000000500L, null, bytes(text), headers);
        builder.append(1699999999000L, bytes("gone"), null);
        builder.append(1700000001000L, bytes(""), bytes(""));
        ByteBuffer bytes = builder.build().buffer();
        StringBuilder hex = new StringBuilder();
        while (bytes.hasRemaining()) {
            hex.append(String.format("%02x", bytes.get()));
        }
        out.printf("    {%d, \"%s\", %s, \"%s\"},%n", magic, type.name, time == TimestampType.LOG_APPEND_TIME, hex);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
