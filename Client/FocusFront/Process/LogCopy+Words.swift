import CommandLineKit
import FocusDevice

// The ends of sentences about a copy of a log that is kept in a folder.
extension Home {
    /// The end of the sentence that a copy is kept of the log of a group that the laptop has left.
    var useAfterLeaving: String {
        """
        :
          FOCUS_HOME=\(ShellWord.quoted(data)) focus log
        shows it, and this brings its history back here:
          FOCUS_HOME=\(ShellWord.quoted(data)) focus export | focus import -
        """
    }

    /// The lines after the sentence that history was left behind, which say how it is taken into the group.
    var useAfterJoining: String {
        """

          FOCUS_HOME=\(ShellWord.quoted(data)) focus export | focus import -
        takes it into the group later.
        """
    }
}
