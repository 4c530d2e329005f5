import CommandLineKit
import FocusAgent
import FocusDevice
import FocusFront
import FocusPage
import FocusStore
import FocusWords

/// `focus web --forget`: lets no browser in any more that a link had let in.
struct ForgetBrowsersCommand {
    func run(_ starter: AgentStarter, _ device: Device, in context: CommandContext) throws(CommandFailure) {
        let isForgotten = try asked(device.home) { () throws(AgentFailure) in try starter.forgetBrowsers() }
        if !isForgotten {
            // An agent that starts from now on reads what is kept.
            try device.using { device throws(StoreError) in
                guard var sessions = try PageSessions.kept(device.store) else { return }
                sessions.endAll()
                try sessions.keep(device.store)
            }
        }
        try context.print("No browser is let in to the page any more; 'focus web' lets one in.\n")
    }
}
