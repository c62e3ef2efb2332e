// What Apache Kafka's client unpacks records with: the libraries that its jars come with. See README.md.
import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.xerial.snappy.SnappyInputStream;

public class Unpack {
    /** COMPRESSION FILE OUTPUT for each file. */
    public static void main(String[] args) throws IOException {
        for (int i = 0; i + 2 < args.length; i += 3) {
            InputStream packed = new ByteArrayInputStream(Files.readAllBytes(Path.of(args[i + 1])));
            Files.write(Path.of(args[i + 2]), unpack(args[i], packed).readAllBytes());
        }
    }

    private static InputStream unpack(String compression, InputStream packed) throws IOException {
        switch (compression) {
            case "gzip":
                return new GZIPInputStream(packed);
            case "snappy":
                return new SnappyInputStream(packed);
            case "lz4":
                return new LZ4FrameInputStream(packed);
            case "zstd":
                return new ZstdInputStream(packed);
            default:
                throw new IllegalArgumentException(compression);
        }
    }
}
