import ClientSupport
import CommandLineKit
import FocusDevice
import Foundation
import SystemKit
import Testing

@Suite("Where files belong")
struct HomeTests {
    @Test("FOCUS_HOME puts everything under one folder")
    func focusHome() throws {
        let home = try Home(
            Environment(["FOCUS_HOME": "/a", "HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/r"]))
        #expect(home.database == "/a/log.db")
        #expect(home.identity == "/a/identity.pem")
        #expect(home.agentSocket == "/a/agent.sock")
    }

    @Test("without FOCUS_HOME files are in the XDG folders or their defaults")
    func baseDirectories() throws {
        let home = try Home(Environment(["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/r"]))
        #expect(home.database == "/d/focus/log.db")
        #expect(home.agentSocket == "/r/focus/agent.sock")
        let bare = try Home(Environment(["HOME": "/h", "XDG_DATA_HOME": "relative", "XDG_RUNTIME_DIR": ""]))
        #expect(bare.database == "/h/.local/share/focus/log.db")
        #expect(bare.agentSocket == "/h/.local/share/focus/agent.sock")
    }

    @Test("without any of these variables there is an error")
    func nowhere() {
        #expect(throws: DeviceFailure.homeless) { try Home(Environment([:])) }
    }

    @Test("the folders are made for this user alone, and made again without harm")
    func create() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        let home = try Home(Environment(["FOCUS_HOME": root.path + "/a/b"]))
        try home.create()
        try home.create()
        for folder in ["/a", "/a/b"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: root.path + folder)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test("a file where the folder should be is named by every command, with what to do")
    func inTheWay() throws {
        let home = TemporaryHome()
        try Data().write(to: URL(fileURLWithPath: home.path))
        for path in [home.path, "\(home.path)/deeper"] {
            for words in ["status", "start", "log"] {
                let result = TestContext(home: path).run(words)
                #expect(result.status == .failed)
                #expect(
                    result.messages
                        == "focus: \(path) can't be a folder, because there is a file of that name. Set FOCUS_HOME to a folder, "
                        + "or move the file away.\n", "\(words)")
            }
            let doctor = TestContext(home: path, screen: .init(columns: 500)).run("doctor")
            #expect(doctor.status == .failed)
            #expect(doctor.output.hasPrefix("WRONG  \(path) can't be a folder"))
            #expect(doctor.messages == "focus: 1 problem to fix.\n")
        }
    }

    @Test("a folder that can't be made is named")
    func refused() throws {
        #expect(throws: DeviceFailure.system("/proc/focus can't be made", code: ENOENT)) {
            try Home(folder: "/proc/focus").create()
        }
        #expect(throws: DeviceFailure.noFolder("/dev/null/focus")) {
            try Home(folder: "/dev/null/focus").create()
        }
    }
}
