import CommandLineKit
import FocusAgent
import FocusDevice
import FocusLink
import FocusStore
import FocusText
import FocusWords

/// `focus doctor`: looks at everything, and says what has to be mended.
struct DoctorCommand {
    let json: Bool

    /// Prints what was found. Throws where something is wrong.
    func run(in context: CommandContext) throws(CommandFailure) {
        let home = try told { () throws(DeviceFailure) in try Home(context.environment) }
        let findings = findings(home, context)
        let wrong = findings.count { $0.verdict == .wrong }
        if json {
            let document = JSON.object([
                JSON.Member("wrong", .integer(wrong)), JSON.Member("findings", .array(findings.map(\.json))),
            ])
            try context.print("\(document)\n")
        } else {
            try context.print(
                findings.map { $0.text(context.console.paint, columns: context.console.columns) }.joined())
        }
        guard wrong == 0 else { throw CommandFailure("\(counted(wrong, "thing")) to mend.") }
    }

    private func findings(_ home: Home, _ context: CommandContext) -> [Finding] {
        let files = FileCheck(home)
        let starter = context.agent(of: home)
        let device: Device?
        do throws(CommandFailure) {
            device = try context.readDevice()
        } catch {
            guard home.canBeFolder else { return [.wrong(.files, error.message)] }
            return files.findings + [files.disk, .wrong(.log, error.message)]
        }
        guard let device else {
            return [.note(.files, "There is no log in \(home.data) yet. The first change makes it.")]
        }
        let check = DeviceCheck(device: device)
        let keys = check.keys
        var findings = files.findings + [files.disk] + check.log + keys
        let isMember = (try? device.store.group()) ?? nil != nil
        if isMember, keys.contains(where: { $0.verdict == .wrong }) {
            findings.append(.note(.server, "The server can't be asked without this laptop's key."))
        } else if isMember {
            do throws(CommandFailure) {
                let addresses = try context.asked { errands throws(GroupFailure) in
                    try reported { () throws(ErrandTrouble) in try errands.check() }
                }
                let address = addresses.joined(separator: ", ")
                findings.append(.fine(.server, "The server (\(address)) answers, and shows the pinned key."))
            } catch {
                findings.append(.wrong(.server, error.message))
            }
        }
        // After the server was asked, which may have shut the laptop out.
        return findings + [check.group] + check.clock + check.pending
            + [AgentCheck(starter, home, isMember: isMember).finding] + HookCheck(home: home).findings
            + NotificationCheck(device: device, environment: context.environment).findings
    }
}
