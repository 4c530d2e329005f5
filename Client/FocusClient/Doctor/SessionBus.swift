import CommandLineKit
import DBusKit
import FocusAgent
import FocusNet
import Synchronization
import SystemKit

/// The desktop's message bus (D-Bus). It knows whether a program shows notifications, or has a tray.
struct SessionBus {
    /// The answer of the bus.
    enum Answer: Hashable, Sendable {
        /// libdbus can't be opened.
        case noLibrary
        /// No address is known.
        case noBus
        /// The address isn't a socket of this machine, so this version can't use the bus.
        case notAsked
        /// Nothing answers at the address.
        case noAnswer
        /// No program has the service, and the bus would start none.
        case noDaemon
        /// The bus can start a program with the service, or that service isn't for notifications.
        case startable
        /// A program shows notifications.
        case daemon(NotificationService)
    }

    private let environment: Environment

    /// The time for each answer.
    private static let patience = Duration.seconds(2)

    /// Makes the bus of a process with these variables.
    init(_ environment: Environment) { self.environment = environment }

    /// Asks the bus, and a program that shows notifications. Takes a few seconds at most.
    func query() -> Answer { query(NotificationDaemon.service, SessionBus.askService) }

    /// Asks the bus for another service. Takes a few seconds at most.
    func query(for service: String) -> Answer { query(service) { _, finish in finish(.startable) } }

    /// Asks the bus for a service.
    ///
    /// - Parameter next: Called if a program has it.
    private func query(
        _ service: String,
        _ next: @escaping @Sendable (any MessageBus, @escaping (Answer) -> Void) -> Void
    ) -> Answer {
        guard BusAddress.hasLibrary else { return .noLibrary }
        guard let address = BusAddress.session(environment) else {
            return environment["DBUS_SESSION_BUS_ADDRESS"].map { $0.isEmpty } == false ? .notAsked : .noBus
        }
        let answer: Answer? = LoopTask.run { loop, finish in
            let bus = BusConnection(address, on: loop)
            loop.keepAlive(bus)
            SessionBus.call(bus, BusNames.bus, BusNames.busPath, "NameHasOwner", [.string(service)]) {
                owner in
                guard let owner else { return finish(.noAnswer) }
                if owner.first?.isTrue == true { return next(bus, finish) }
                SessionBus.call(bus, BusNames.bus, BusNames.busPath, "ListActivatableNames", []) { names in
                    let isStartable = names?.first?.elements?.contains(.string(service)) == true
                    finish(isStartable ? .startable : .noDaemon)
                }
            }
        }
        return answer ?? .noAnswer
    }

    /// Asks the program for its name and abilities. One that doesn't answer counts as absent.
    private static func askService(_ bus: any MessageBus, _ finish: @escaping (Answer) -> Void) {
        let (service, path) = (NotificationDaemon.service, NotificationDaemon.path)
        call(bus, service, path, "GetCapabilities", []) { capabilities in
            guard let names = capabilities?.first?.elements?.compactMap(\.text) else {
                return finish(.noDaemon)
            }
            call(bus, service, path, "GetServerInformation", []) { facts in
                finish(.daemon(NotificationService(name: facts?.first?.text ?? "", abilities: names)))
            }
        }
    }

    /// Calls a method of the interface that has the callee's name. Passes on nil if there is no answer.
    private static func call(
        _ bus: any MessageBus, _ name: String, _ path: String, _ member: String, _ arguments: [BusValue],
        _ done: @escaping ([BusValue]?) -> Void
    ) {
        bus.call(BusCall(to: name, at: path, name, member, arguments), within: patience) { answer in
            done(try? answer.get())
        }
    }
}

/// A program that shows notifications.
struct NotificationService: Hashable, Sendable {
    /// Its name for people.
    let name: String
    let hasButtons: Bool
    let hasSound: Bool

    init(name: String, abilities: [String]) {
        let name = TerminalText.data(String(name.prefix(40)))
        self.name = name.isEmpty ? "the desktop" : name
        hasButtons = abilities.contains("actions")
        hasSound = abilities.contains("sound")
    }
}

/// Work on an event loop of its own, for a command that waits for the result.
enum LoopTask {
    /// Carries a result from the loop's thread to the command's.
    private final class Outcome<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)

        func set(_ value: Value) { self.value.withLock { $0 = value } }
        func get() -> Value? { value.withLock { $0 } }
    }

    /// Runs `body` on a new loop until it calls its last parameter, and returns that value. Returns nil if the
    /// process has no descriptor or thread left.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (EventLoop, @escaping (Value) -> Void) -> Void
    ) -> Value? {
        guard let loop = try? EventLoop() else { return nil }
        let outcome = Outcome<Value>()
        loop.run {
            body(loop) { value in
                outcome.set(value)
                loop.stop()
            }
        }
        loop.wait()
        return outcome.get()
    }
}
