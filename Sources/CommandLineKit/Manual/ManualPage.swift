/// A page of the manual: what `man` shows. Prose is written as values like these, and what a program's table knows
/// comes from there (`Program.manual`).
package struct ManualPage: Sendable {
    /// A part of a page, under a title.
    package struct Section: Sendable {
        /// What stands above it, written as in a sentence: the page has it in capitals.
        package let title: String
        /// What it says, from top to bottom.
        package let blocks: [Block]

        /// A part of a page under this title.
        package init(_ title: String, _ blocks: [Block]) {
            self.title = title
            self.blocks = blocks
        }
    }

    /// What a section is made of. In texts and terms, `what is typed` stands between backquotes and *what stands for
    /// something else* between asterisks.
    package enum Block: Sendable {
        case text(String)
        /// Terms, and what each of them is.
        case entries([Entry])
        /// Lines as they are typed or printed.
        case lines([String])
        /// A title within the section.
        case title(String)
    }

    /// A term and what it is.
    package struct Entry: Sendable {
        /// What is explained, with marks as texts have them.
        package let term: String
        /// What it is, from top to bottom.
        package let blocks: [Block]

        /// A term that takes more than one paragraph to explain.
        package init(_ term: String, _ blocks: [Block]) {
            self.term = term
            self.blocks = blocks
        }

        /// A term that one paragraph explains.
        package init(_ term: String, _ text: String) { self.init(term, [.text(text)]) }
    }

    /// What it is called by, as `focus-hooks`.
    package let name: String
    /// Its section of the manual: 1 for commands, 5 for files, 7 for what surrounds them, 8 for administration.
    package let number: Int
    /// What it is about, to be read after its name: no capital, no full stop.
    package let summary: String
    /// What it says, from top to bottom, after the section with its name.
    package let sections: [Section]

    /// A page of the manual, by its name and number, as in `focus-hooks`(7).
    package init(_ name: String, _ number: Int, _ summary: String, _ sections: [Section]) {
        self.name = name
        self.number = number
        self.summary = summary
        self.sections = sections
    }

    /// What its file is called: `focus.1`.
    package var fileName: String { "\(name).\(number)" }
}
