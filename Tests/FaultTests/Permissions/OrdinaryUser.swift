import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// A user without root's rights: the user who runs the tests, or nobody if that is root.
enum OrdinaryUser {
    /// The user and group without any rights on Debian and elsewhere: nobody and nogroup.
    private static let nobody: uid_t = 65_534

    /// The wrapper that runs programs as that user.
    static let wrapper = ProgramWrapper(
        geteuid() == 0
            ? ["/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] : [])

    /// Whether that user can run the built programs. If root builds them in its home, nobody else can.
    static let canRunPrograms: Bool = {
        guard let folder = try? TemporaryFolder(),
            let outcome = try? Program.focus.start(
                ["--version"], [:], under: wrapper, in: folder, log: folder.fresh("messages")
            ).wait()
        else { return false }
        return outcome.status == 0
    }()

    /// Makes a folder that belongs to that user.
    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try giveAway(path)
    }

    private static func giveAway(_ path: String) throws {
        guard geteuid() != 0 || chown(path, nobody, nobody) == 0 else {
            throw Unmet("\(path) can't be given away")
        }
    }

    /// Runs a test in a world that belongs to that user.
    static func with(_ body: (World) throws -> Void) throws {
        try World.with { world in
            try giveAway(world.folder.path)
            world.server.wrapper = wrapper
            try body(world)
        }
    }
}

extension World {
    /// A laptop of that user, in no group.
    func ordinaryLaptop(_ name: String) -> Laptop {
        let laptop = laptop(name)
        laptop.wrapper = OrdinaryUser.wrapper
        return laptop
    }
}

/// A file of a program, the mode that it gets, and the commands that then fail.
struct Loss: CustomTestStringConvertible, Sendable {
    /// The file's name, or nothing for the program's folder.
    let file: String
    let mode: mode_t
    var fails: [[String]] = []
    /// The file that the message names, if it is another.
    var named: String?
    var testDescription: String {
        "\(file.isEmpty ? "the folder" : file) with mode \(String(mode, radix: 8))"
    }

    /// Runs `body` while the file in `folder` has the mode. `body` gets the path that a message must name.
    func happens(in folder: String, _ body: (_ named: String) throws -> Void) throws {
        try withMode(mode, file.isEmpty ? folder : "\(folder)/\(file)") {
            try body("\(folder)/\(named ?? file)")
        }
    }
}

/// Runs `body` while a file or folder has another mode.
func withMode(_ mode: mode_t, _ path: String, _ body: () throws -> Void) throws {
    var before = stat()
    guard stat(path, &before) == 0, chmod(path, mode) == 0 else { throw Unmet("\(path) has no mode") }
    defer { chmod(path, before.st_mode & 0o7777) }
    try body()
}
