/// Where a command's data and messages go.
package struct Console: Sendable {
    /// Takes data, for standard output.
    package let output: @Sendable (String) throws(SystemError) -> Void
    /// Takes messages, for standard error.
    package let messages: @Sendable (String) -> Void
    package let paint: Paint

    package init(
        output: @escaping @Sendable (String) throws(SystemError) -> Void,
        messages: @escaping @Sendable (String) -> Void, paint: Paint
    ) {
        self.output = output
        self.messages = messages
        self.paint = paint
    }

    /// The console of this process.
    package static func process(_ environment: Environment) -> Console {
        Console(
            output: { text throws(SystemError) in try FileDescriptor.standardOutput.write(text) },
            // There is nobody left to tell where standard error itself is gone.
            messages: { try? FileDescriptor.standardError.write($0) },
            paint: .forOutput(isTerminal: FileDescriptor.standardOutput.isTerminal, environment))
    }

    /// Says something to the person, as one line after the program's name.
    package func say(_ message: String) { messages("focus: \(message)\n") }
}
