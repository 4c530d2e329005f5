/// What the programs open as they run has to be there where they are installed, though the linker knows nothing of it:
/// `deploy/loaded-libraries` lists it, and the Debian packages depend on it (docs/architecture.md, "Layers").
enum LibraryRule {
    /// A library that a program opens.
    struct Opened: Hashable {
        let library: String
        let program: String
        /// Whether the program comes without it, and its package only names it.
        var isOptional = false
    }

    /// The libraries that the sources open.
    static func opened(in files: [SourceFile]) -> Set<String> {
        Set(
            files.filter { !$0.isTest }.flatMap { file in
                file.text.matches(of: /SharedLibrary\("([^"]+)"\)/).map { String($0.output.1) }
            })
    }

    /// What the list says.
    static func listed(in list: SourceFile) -> [Opened] {
        list.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.flatMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.dropFirst().filter { $0 != "?" }.map {
                Opened(library: words[0], program: $0, isOptional: words.last == "?")
            }
        }
    }

    /// What the list names and the program's Debian package doesn't depend on, by Debian's names for libraries:
    /// `libuv1` has `libuv.so.1`, and `libssl3` both of OpenSSL's.
    static func violations(of listed: [Opened], in control: SourceFile) -> [Violation] {
        let packages = control.text.split(separator: "\n\n").map { $0.split(separator: "\n") }
        return listed.compactMap { opened in
            let package = opened.library.replacing(".so.", with: "").replacing("libcrypto", with: "libssl")
            let lines = packages.first { $0.contains("Package: lockstep-\(opened.program)") } ?? []
            let field = opened.isOptional ? "Suggests: " : "Depends: "
            let needed = lines.first { $0.hasPrefix(field) }?.split(whereSeparator: {
                " ,".contains($0)
            })
            guard needed?.contains(Substring(package)) != true else { return nil }
            return Violation(
                path: control.path, line: 1,
                problem: "lockstep-\(opened.program) doesn't depend on \(package), which it opens")
        }
    }
}
