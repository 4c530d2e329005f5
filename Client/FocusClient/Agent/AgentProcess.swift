import CommandLineKit
import FocusNet

/// The process that is the agent.
enum AgentProcess {
    /// Is the agent until it is asked to stop. Where one runs already, says so and ends.
    static func run(in context: CommandContext) throws(CommandFailure) {
        do {
            let home = try Home(context.environment)
            try home.create()
            guard let lock = try AgentLock(path: "\(home.agentSocket).lock") else {
                throw CommandFailure("The agent runs already.", .notNow)
            }
            let loop = try EventLoop()
            let failure = StartFailure()
            loop.run {
                do {
                    let device = try Device(context)
                    let agent = Agent(device, on: loop, log: AgentLog(context.console, context.clocks))
                    try agent.start()
                    // The loop keeps the agent alive until it stops.
                    loop.schedule(every: .seconds(3_600)) { _ = agent }
                } catch {
                    failure.set(error)
                    loop.stop()
                }
            }
            loop.wait()
            _ = consume lock
            try failure.check()
        } catch let error as NetError where error.code == .addressInUse {
            throw CommandFailure("The agent runs already.", .notNow)
        } catch let error as NetError {
            throw CommandFailure("The agent can't run. \(error.sentence)")
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure("The agent can't run: \(error)")
        }
    }
}
