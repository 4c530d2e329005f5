import Testing

@Suite("Taking Swift text apart")
struct SwiftTextTests {
    @Test("strings are emptied and comments are put aside, line by line")
    func parts() {
        let text = SwiftText(
            """
            let a = "x // y" // z
            /* b
            /* c */ d */ let e = #"f " \\( "# + g
            """)
        #expect(text.code == ["let a = \"\" ", "", " let e = \"\" + g"])
        #expect(text.comments == ["// z", "/* b", "/* c */ d */"])
    }

    @Test("strings of several lines keep the count of lines")
    func multiline() {
        let quotes = "\"\"\""
        let text = SwiftText("let a = \(quotes)\n  \"b\" // c\n  \(quotes)\nlet d = 1")
        #expect(text.code == ["let a = ", "", "\"\"", "let d = 1"])
        #expect(text.comments == ["", "", "", ""])
    }

    @Test("what is interpolated, strings in it too, belongs to the string")
    func interpolation() {
        #expect(SwiftText(#"a("x \(b("y") + (c)) z") + d"#).code == ["a(\"\") + d"])
        #expect(SwiftText(#"a("x \" y") + b"#).code == ["a(\"\") + b"])
    }
}
