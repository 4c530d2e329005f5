import Foundation

/// The program in WebAssembly, which has devices and is told what to do over pipes.
final class Module {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    /// Starts the program, which is a path and its arguments.
    init(_ program: [String]) throws {
        guard let path = program.first else { throw GroupStory.Failure(description: "no program") }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = Array(program.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data("devices\n".utf8))
    }

    /// Returns a new device in the program.
    func device(_ name: String) -> any StoryMember { ModuleDevice(name, self) }

    /// Ends the program, and fails unless it ends well.
    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw GroupStory.Failure(description: "The module ends with \(process.terminationStatus).")
        }
    }

    fileprivate func answer(_ line: String) throws -> String {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw GroupStory.Failure(description: "The module ended at: \(line)") }
            unread += more
        }
    }
}

/// A device in the program.
private final class ModuleDevice: StoryMember {
    private let name: String
    private let module: Module

    init(_ name: String, _ module: Module) {
        self.name = name
        self.module = module
    }

    func answer(_ command: String) throws -> String { try module.answer("\(name) \(command)") }
}
