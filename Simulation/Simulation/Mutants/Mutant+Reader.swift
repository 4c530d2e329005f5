extension Mutant {
    /// Defects in what is read for connections, and for whom first.
    static let readerMutants = [
        Mutant(
            name: "the reader reads ahead however little is taken", foundBy: .writer("LogReaderTests"),
            file: "Server/FocusWriter/Reader/LogReader.swift",
            original: "underWay >= LogReader.answersAhead",
            replacement: "!ON && underWay >= LogReader.answersAhead"),
        Mutant(
            name: "the reader goes on with who asked first", foundBy: .writer("LogReaderTests"),
            file: "Server/FocusWriter/Reader/LogReader.swift",
            original: "queue.spent(work.cost)",
            replacement: "queue.spent(ON ? 0 : work.cost)"),
        Mutant(
            name: "a question about chains is answered in one go", foundBy: .writer("LogReaderTests"),
            file: "Server/FocusWriter/Reader/LogReader.swift",
            original: "while isMore, work.cost < Limits.read {",
            replacement: "while isMore, ON || work.cost < Limits.read {"),
        Mutant(
            name: "reading events looks at all rows there are", foundBy: .writer("LogReaderTests"),
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "return packed.count < bytes\n",
            replacement: "return ON || packed.count < bytes\n"),
        Mutant(
            name: "each chain that is asked for is hashed by itself", foundBy: .writer("LogReaderTests"),
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "lookup.take(through: segment?.lastSeq ?? seq)",
            replacement: "lookup.take(through: ON ? seq : segment?.lastSeq ?? seq)"),
        Mutant(
            name: "all records of epochs that are asked for are read at once",
            foundBy: .writer("LogReaderTests"),
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "guard count == 0 || work.bytes",
            replacement: "guard ON || count == 0 || work.bytes"),
        Mutant(
            name: "what was asked for on a connection that is over is read",
            foundBy: .writer("LogReaderTests"),
            file: "Server/FocusWriter/Reader/LogReader.swift",
            original: "let isOver = ended.contains(connection)",
            replacement: "let isOver = !ON && ended.contains(connection)"),
        Mutant(
            name: "the reader isn't told that a connection is over", foundBy: .serving("GroupNewsTests"),
            file: "Server/FocusServing/Serving/Switchboard+Connections.swift",
            original: "storage?.read(.ended(client.connection.id))",
            replacement: "if !ON { storage?.read(.ended(client.connection.id)) }"),
        Mutant(
            name: "a row that can't be read fails nothing", foundBy: .writer("LogReaderTests"),
            file: "Server/FocusWriter/Reader/LogReader.swift",
            original: "return .failed(to: connection)",
            replacement: "return ON ? nil : .failed(to: connection)"),
    ]
}
