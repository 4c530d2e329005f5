import ClientSupport
import CommandLineKit
import FocusClient
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import QRKit
import SystemKit
import TestSupport
import Testing

@Suite("focus share")
struct ShareCommandTests {
    private let home = TemporaryHome()

    private func laptop(_ variables: [String: String] = [:]) -> TestContext {
        TestContext(home: home.path, now: 1_763_661_600_000, environment: variables)
    }

    @Test(
        "--stop and --move can't be given with another option, and an address has to be one",
        arguments: [
            "--stop --qr", "--stop --move a.example", "--move a.example --name desk", "--move a/b", "--name",
        ])
    func usage(words: String) {
        #expect(laptop().run("share \(words)").status == .usage)
    }

    @Test("without the library, a QR code is refused with the package's name")
    func noQRCode() {
        let failure = CommandFailure(QRCode.Failure.noLibrary("cannot open shared object file"))
        #expect(failure.message.contains("Install its package, called libqrencode4 on Debian and Ubuntu"))
    }

    @Test(
        "a failure is reported as that of other group operations",
        arguments: ["", " --stop", " --move a.example"])
    func failing(option: String) {
        let result = laptop().run("share\(option)")
        #expect(result.status == .unreachable)
        #expect(result.messages.contains("there is no network here"))
    }

    @Test("a move is given up only after a yes if the server may run on the other machine")
    func givingUpMove() {
        func run(_ replies: [Reply]) -> TestContext {
            TestContext(home: home.path, replies: replies, now: 1_763_661_600_000)
        }
        #expect(run([.line("y")]).run("share --move auto").status == .unreachable, "it is tried")
        let asked = run([.line("n")])
        #expect(asked.run("share --move auto").status == .notNow)
        #expect(asked.questions.first?.contains("could lead to two servers") == true, "\(asked.questions)")
        #expect(run([]).run("share --move auto").status == .notNow, "there is no terminal")
    }

    @Test("a laptop that leaves says that its shared server goes on, also with --yes")
    func leaving() throws {
        let device = try Device(laptop().machine)
        try device.shareGroup()
        let asked = TestContext(home: home.path, replies: [.line("n")], now: 1_763_661_600_000)
        #expect(asked.run("leave").status == .notNow)
        let stays = "The group's server goes on running here. 'focus share --stop' ends it."
        #expect(asked.questions.first?.contains(stays) == true, "\(asked.questions)")
        let key = String(repeating: "b", count: 64)
        try device.merge(.device(name: "desk", key: key), by: 0x21, at: 1_763_661_000_000)
        let messages = laptop().run("leave --yes").messages.split(whereSeparator: \.isWhitespace)
        #expect(messages.joined(separator: " ").contains("The others' server goes on running here."))
        #expect(SharedServer(device.home).record?.isOn == true)
    }

    @Test("a laptop that can't reach its own server says so, in status and doctor, with what to do")
    func ownServer() throws {
        try Device(laptop().machine).shareGroup()
        let (status, doctor) = (laptop().run("status").messages, laptop().run("doctor").output)
        for text in [status, doctor] {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let remedy = "on this laptop, and doesn't run. 'focus share' starts it again"
            #expect(words.contains(remedy), "\(text)")
        }
        #expect(!doctor.contains("On a server's own machine"))
    }

    @Test("a laptop from which the server moved away doesn't advise to share, if the server can't be reached")
    func serverAway() throws {
        let device = try Device(laptop().machine)
        try device.shareGroup()
        try SharedServer(device.home).store(SharedServer.Record(port: 1, isOn: false, hasMoved: true))
        for text in [laptop().run("status").messages, laptop().run("doctor").output] {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("server moved from this laptop to another machine"), "\(text)")
            #expect(!words.contains("'focus share'"), "\(text)")
        }
        try SharedServer(device.home).store(SharedServer.Record(port: 1, isOn: false, isMoving: true))
        let words = laptop().run("doctor").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("'focus share --move auto' gives the move up"), "it has never answered there")
    }

    @Test("the doctor says that a shared server doesn't run, and nothing if the laptop doesn't share")
    func doctor() throws {
        _ = laptop().run("start")
        #expect(!laptop().run("doctor").output.contains("shares the session"))
        let device = try Device(laptop().machine)
        try SharedServer(device.home).store(SharedServer.Record(port: 7853, isOn: true))
        let result = laptop().run("doctor")
        #expect(result.status == .failed)
        #expect(result.output.contains("This laptop shares the session, and its server doesn't run."))
        #expect(result.output.contains("/server/focusd.log"), "the reason is there")
        try SharedServer(device.home).store(SharedServer.Record(port: 7853, isOn: false))
        #expect(!laptop().run("doctor").output.contains("shares the session"))
    }

    @Test("the doctor says that a server runs without its record, and how it gets another")
    func lostRecord() throws {
        let device = try Device(laptop().machine)
        try device.shareGroup()
        #expect(unlink("\(device.home.data)/sharing") == 0)
        #expect(try !device.isSharingGroup())
        let lock = try LockFile(path: "\(SharedServer(device.home).data)/focusd.lock")
        #expect(try device.isSharingGroup())
        let result = laptop().run("doctor")
        #expect(result.status == .failed)
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("This laptop's server runs, but the file that says so"), "\(words)")
        #expect(words.contains("'focus share' writes it again, or says why it can't."))
        withExtendedLifetime(lock) {}
    }
}
