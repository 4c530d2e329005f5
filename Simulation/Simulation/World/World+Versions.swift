import FocusSync
import SQLiteKit

// Programs of other versions.
extension World {
    /// Gives a laptop a program that names these versions of the protocol, for `duration` microseconds.
    func speak(_ index: Int, _ versions: [UInt16], for duration: Int64) {
        guard let laptop = laptop(index) else { return }
        laptop.speak(versions)
        reach.note(
            .version, versions.contains(1) ? "laptop with later protocol" : "laptop without the protocol")
        later(duration) { laptop.speak(nil) }
    }
}

extension Laptop {
    /// Replaces the laptop's program by one that names these versions of the protocol in its hellos, or by
    /// the present program if nil.
    func speak(_ versions: [UInt16]?) {
        guard self.versions != versions else { return }
        self.versions = versions
        guard isUp, disk.hasPower else { return }
        stop(losingPower: false)
        start()
    }

    /// Returns the bytes, with the program's versions in the hello if they begin with one.
    func translated(_ bytes: [UInt8]) -> [UInt8] {
        guard let versions else { return bytes }
        var decoder = FrameDecoder()
        decoder.append(bytes[...])
        guard let frame = try? decoder.next(), let message = try? Message(frame),
            case .hello(var hello) = message
        else { return bytes }
        let length = Message.hello(hello).encoded().count
        hello.versions = versions.map(ProtocolVersion.init(rawValue:))
        return Message.hello(hello).encoded() + bytes.dropFirst(length)
    }
}
