/// Each library that the programs open at run time is installed with them, though the linker doesn't know of
/// it.
///
/// `deploy/loaded-libraries` lists these libraries. The Debian packages depend on them (docs/architecture.md,
/// "Layers"), and the server's image contains them.
enum LibraryRule {
    /// A library that a program opens at run time.
    struct Opened: Hashable {
        let library: String
        let program: String
        /// Whether the program works without the library, so that its package only suggests it.
        var isOptional = false

        /// The library's Debian package: `libuv1` contains `libuv.so.1`, `libdbus-1-3` contains
        /// `libdbus-1.so.3`, and `libssl3` both libraries of OpenSSL.
        var package: String {
            library.replacing(/([0-9])\.so\./) { "\($0.output.1)-" }.replacing(".so.", with: "")
                .replacing("libcrypto", with: "libssl")
        }
    }

    /// The libraries that the sources open.
    static func opened(in files: [SourceFile]) -> Set<String> {
        Set(
            files.filter { !$0.isTest }.flatMap { file in
                file.text.matches(of: /SharedLibrary\("([^"]+)"\)/).map { String($0.output.1) }
            })
    }

    /// The entries of the list.
    static func listed(in list: SourceFile) -> [Opened] {
        list.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.flatMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.dropFirst().filter { $0 != "?" }.map {
                Opened(library: words[0], program: $0, isOptional: words.last == "?")
            }
        }
    }

    /// Finds libraries of the server in the list that its image lacks, optional ones included.
    static func violations(of listed: [Opened], inImage image: SourceFile) -> [Violation] {
        let words = image.text.split(whereSeparator: \.isWhitespace)
        return listed.filter { $0.program == "focusd" && !words.contains(Substring($0.package)) }.map {
            Violation(path: image.path, line: 1, problem: "the image lacks \($0.package), which focusd opens")
        }
    }

    /// Finds libraries in the list that the program's Debian package doesn't depend on, or at least suggest.
    static func violations(of listed: [Opened], in control: SourceFile) -> [Violation] {
        let packages = control.text.split(separator: "\n\n").map { $0.split(separator: "\n") }
        return listed.compactMap { opened in
            let lines = packages.first { $0.contains("Package: lockstep-\(opened.program)") } ?? []
            let fields = opened.isOptional ? ["Suggests: ", "Recommends: "] : ["Depends: "]
            let needed = lines.filter { line in fields.contains { line.hasPrefix($0) } }.flatMap {
                $0.split { " ,".contains($0) }
            }
            guard !needed.contains(Substring(opened.package)) else { return nil }
            return Violation(
                path: control.path, line: 1,
                problem: "lockstep-\(opened.program) doesn't depend on \(opened.package), which it opens")
        }
    }
}
