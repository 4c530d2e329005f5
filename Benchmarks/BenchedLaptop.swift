import FocusAgent
import FocusClient
import FocusCore
import FocusDevice
import FocusStore
import SystemKit

extension Machine {
    /// This machine, with the laptop's files in a folder of their own.
    init(home: String) {
        let process = Machine.process
        self.init(
            environment: Environment(["FOCUS_HOME": home]), clocks: process.clocks,
            hostName: process.hostName, makeReplica: process.makeReplica)
    }
}

/// One laptop with a running agent, pressed and looked at as the commands do, less the start of their processes.
final class BenchedLaptop {
    private let device: Device
    private let errands: LiveErrands
    private var link: AgentLink

    init(home: String) throws {
        let machine = Machine(home: home)
        errands = LiveErrands(machine, opened: { _ in }, tell: { _, _ in })
        device = try Device(machine)
        guard let link = AgentLink(device.home), link.send(.follow) else {
            throw Programs.Failed(description: "no agent listens in \(home)")
        }
        self.link = link
    }

    /// Presses and tells the agent.
    func press(_ interaction: Interaction) throws {
        _ = try device.perform(interaction)
        _ = errands.logChanged(on: device)
    }

    var isRunning: Bool {
        get throws {
            let timer = TimerState(try device.store.state(), at: try device.now())
            return timer.mainInteraction == .pause
        }
    }

    /// Waits until what the laptop shows is so, looking whenever the agent says that something changed.
    func waitUntil(_ condition: (BenchedLaptop) throws -> Bool) throws {
        while try !condition(self) {
            guard case .line = link.wait(.seconds(10)) else {
                throw Programs.Failed(description: "nothing arrived within 10 s")
            }
        }
    }
}
