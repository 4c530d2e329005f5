import SystemKit
import TestSupport
import TestTraits
import Testing

@Suite("Open files")
struct FileDescriptorTests {
    /// Returns both ends of a new pipe.
    private func pipe() throws -> (read: OwnedDescriptor, write: OwnedDescriptor) {
        var ends: [Int32] = [0, 0]
        try #require(SystemKit.pipe(&ends) == 0)
        return (try #require(OwnedDescriptor(ends[0])), try #require(OwnedDescriptor(ends[1])))
    }

    @Test(
        "a buffer is filled from as many pieces as there are, and where there is less than its fill that is an error"
    )
    func filling() throws {
        let (read, write) = try pipe()
        let (input, output) = (
            FileDescriptor(read.number, named: "input"), FileDescriptor(write.number, named: "output")
        )
        try output.write("one ")
        try output.write("two ")
        var bytes = [UInt8](repeating: 0, count: 6)
        try bytes.withUnsafeMutableBytes { try input.fill($0) }
        #expect(bytes == Array("one tw".utf8))
        write.giveAway()
        close(write.number)
        let error = #expect(throws: SystemError.self) {
            try bytes.withUnsafeMutableBytes { try input.fill($0) }
        }
        #expect(error == SystemError("input can't be read", code: EIO))
    }

    @Test("what can't be written, or made durable, is an error that names the file")
    func writing() throws {
        let (read, _) = try pipe()
        let input = FileDescriptor(read.number, named: "input")
        let error = #expect(throws: SystemError.self) { try input.write("one") }
        #expect(error == SystemError("input can't be written to", code: EBADF))
        let undone = #expect(throws: SystemError.self) { try input.makeDurable() }
        #expect(undone == SystemError("input can't be made durable", code: EINVAL))
    }

    @Test("names in a folder that is there can be made durable, and others not")
    func names() throws {
        let folder = try TemporaryFolder()
        try FolderEntries(of: "\(folder.path)/file").makeDurable()
        try FolderEntries(of: "file").makeDurable()
        try FolderEntries(of: "/file").makeDurable()
        let error = #expect(throws: SystemError.self) { try FolderEntries(of: "/nowhere/file").makeDurable() }
        #expect(error == SystemError("/nowhere can't be made durable", code: ENOENT))
    }

    @Test(
        "an owned descriptor is closed as it is let go, unless it was given away",
        .ends(within: .seconds(30)))
    func owning() throws {
        var ends: (read: OwnedDescriptor, write: OwnedDescriptor?) = try pipe()
        ends.write = nil
        #expect(try FileDescriptor(ends.read.number, named: "input").readAll().isEmpty, "its end has come")
        ends = try pipe()
        let number = try #require(ends.write?.number)
        ends.write?.giveAway()
        ends.write = nil
        try FileDescriptor(number, named: "output").write("one")
        close(number)
        #expect(try FileDescriptor(ends.read.number, named: "input").readAll() == Array("one".utf8))
        #expect(OwnedDescriptor(-1) == nil)
    }

    @Test("whoever looks again and again finds what comes, or gives up")
    func looking() {
        var looks = 0
        let found = Polling.wait(atMost: .milliseconds(50)) { () -> Int? in
            looks += 1
            return looks == 3 ? looks : nil
        }
        #expect(found == 3)
        #expect(Polling.wait(atMost: .milliseconds(50)) { () -> Int? in nil } == nil)
    }
}
