import ClientSupport
import TestTraits
import Testing

@testable import FocusClient
@testable import SystemKit

@Suite("The desktop's bus", .ends(within: .seconds(60)))
struct SessionBusTests {
    private let home = TemporaryHome()

    private func ask(_ address: String) -> SessionBus.Answer {
        SessionBus(Environment(["DBUS_SESSION_BUS_ADDRESS": address])).query()
    }

    @Test("a missing, an unsupported and an unanswered address are told apart")
    func addresses() throws {
        #expect(SessionBus(Environment([:])).query() == .noBus)
        #expect(SessionBus(Environment(["XDG_RUNTIME_DIR": home.path])).query() == .noBus)
        #expect(ask("") == .noBus)
        #expect(ask("tcp:host=127.0.0.1,port=1") == .notAsked)
        #expect(ask("unix:path=\(home.path)/bus,guid=1") == .noAnswer)
    }

    @Test("a program's name is text for a line, of limited length")
    func names() {
        let service = NotificationService(
            name: "a\u{202E}b" + String(repeating: "c", count: 100), abilities: ["actions", "body"])
        #expect(service.name.count == 40 && service.name.hasPrefix("a\u{FFFD}bc"))
        #expect(service.hasButtons && !service.hasSound)
        #expect(NotificationService(name: "", abilities: []).name == "the desktop")
    }
}
