import FocusCore
import FocusDevice

extension Device {
    /// How long an agent that has other things to do is waited for.
    private static let agentsPatience = Duration.milliseconds(200)

    /// Lets the agent notice a sleep that has just ended, before something is pressed in another process.
    package func letAgentLookForSleep() {
        // Most machines that never sleep needn't ask.
        guard clocks.sinceBoot() - clocks.awake() > Sleep.shortest,
            var link = AgentLink(home), link.send(.look)
        else { return }
        _ = link.wait(Device.agentsPatience)
    }
}
