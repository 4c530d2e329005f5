import FocusDevice
import FocusText

extension CarriedHistory.Extent {
    /// To be read in a sentence: `4h20m of focus time in 12 sessions, since Sun 2 Nov 2025`.
    package var text: String {
        "\(lengthText(focus)) of focus time in \(counted(sessions, "session")), since \(first.name)"
    }
}
