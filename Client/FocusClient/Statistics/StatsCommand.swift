import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusText

/// `focus stats`: the history in numbers and charts.
struct StatsCommand {
    let request: StatsRequest

    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let report =
            if let device { try StatsReport(request, device) } else {
                try StatsReport(request, [], Settings(), at: context.clocks.wall())
            }
        if request.json {
            try context.print("\(report.document)\n")
        } else if report.isEmpty {
            context.console.say("The history is empty.")
        } else {
            let console = context.console
            let view = StatsView(
                report: report, glyphs: console.glyphs, paint: console.paint, columns: console.columns)
            try context.print(view.text)
        }
    }
}
