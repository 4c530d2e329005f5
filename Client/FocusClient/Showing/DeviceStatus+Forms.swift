import FocusCore
import FocusDevice
import FocusText

extension DeviceStatus {
    /// What is shown of it, in this form, to somebody in this world.
    package func text(_ form: StatusForm, in context: CommandContext) -> String {
        switch form {
        case .line: StatusView(state, at: now).line(context.console.paint)
        case .json: json.description
        case .format(let format): format.text(StatusView(state, at: now))
        case .bar(let bar):
            BarFrame(
                presentation, state: TimerState(state, at: now).statusName, program: context.programs.own()
            ).text(for: bar)
        }
    }
}
