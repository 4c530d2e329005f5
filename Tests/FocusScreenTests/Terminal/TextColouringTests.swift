import CursesKit
import FocusClient
import FocusCore
import FocusDevice
import Foundation
import SystemKit
import Testing

@testable import FocusScreen

@Suite("Colour")
struct TextColouringTests {
    @Test("only on a terminal that has colours, and never with a non-empty NO_COLOR")
    func conditions() {
        let xterm = ["TERM": "xterm"]
        func paint(_ more: [String: String], isTerminal: Bool = true) -> TextColouring {
            .forOutput(isTerminal: isTerminal, Environment(xterm.merging(more) { $1 }))
        }
        #expect(paint([:]) == .eight)
        #expect(paint(["NO_COLOR": ""]) == .eight)
        #expect(paint(["NO_COLOR": "0"]) == .plain)
        #expect(paint(["TERM": "dumb"]) == .plain)
        #expect(paint(["TERM": "vt100"]) == .plain)
        #expect(paint(["TERM": ""]) == .plain)
        #expect(paint([:], isTerminal: false) == .plain)
    }

    @Test(
        "a terminal is given the colours that it says it has, and no more",
        arguments: [
            ("linux", nil, TextColouring.eight), ("xterm", nil, .eight), ("xterm-256color", nil, .palette),
            ("tmux-256color", "truecolor", .exact), ("xterm", "24bit", .exact), ("xterm", "yes", .eight),
            ("xterm-direct", nil, .exact), ("dumb", "truecolor", .plain),
        ] as [(String, String?, TextColouring)])
    func amount(type: String, more: String?, expected: TextColouring) {
        let environment = Environment(["TERM": type, "COLORTERM": more ?? ""])
        #expect(TextColouring.forOutput(isTerminal: true, environment) == expected)
    }

    @Test("work is red and a break green, in the terminal's nearest colours")
    func codes() {
        #expect(TextColouring.plain.coloured("x", .work) == "x")
        #expect(TextColouring.eight.coloured("x", .work) == "\u{1B}[31mx\u{1B}[0m")
        #expect(TextColouring.eight.coloured("x", .rest) == "\u{1B}[32mx\u{1B}[0m")
        #expect(TextColouring.palette.coloured("x", .work) == "\u{1B}[38;5;131mx\u{1B}[0m")
        #expect(TextColouring.exact.coloured("x", .rest) == "\u{1B}[38;2;65;130;97mx\u{1B}[0m")
    }

    @Test(
        "work and breaks can be read on the chosen background, or on white and black, with each accent",
        arguments: [Capabilities.Colours.palette, .exact])
    func contrast(colours: Capabilities.Colours) throws {
        for background in Appearance.Background.allCases {
            for accent in Appearance.Accent.allCases {
                let palette = Palette(colours: colours, appearance: Appearance(background, accent))
                for theme in [Presentation.Theme.work, .rest] {
                    let light = try #require(luminance(of: palette.theme(theme).colour))
                    let remark: Comment = "\(theme), \(background), \(accent)"
                    if background != .dark { #expect(1.05 / (light + 0.05) >= 4.5, remark) }
                    if background != .light { #expect((light + 0.05) / 0.05 >= 4.5, remark) }
                }
            }
        }
    }

    @Test("an accent changes the colour of work only, and no colour is used if there are none")
    func accents() {
        for colours in Capabilities.Colours.allCases {
            let palettes = Appearance.Accent.allCases.map {
                Palette(colours: colours, appearance: Appearance(.dark, $0))
            }
            #expect(Set(palettes.map { $0.theme(.rest) }).count == 1)
            #expect(Set(palettes.map { $0.theme(.work) }).count == (colours == .none ? 1 : 3))
            #expect((palettes.first?.theme(.work).colour == nil) == (colours == .none))
        }
    }

    /// Returns the relative luminance (WCAG 2.2) of a colour, or nil for one of the terminal's own 16.
    private func luminance(of colour: Colour?) -> Double? {
        let parts: [Int]
        switch colour {
        case .exact(let red, let green, let blue): parts = [red, green, blue].map { Int($0) }
        case .palette(let number) where (16..<232).contains(number):
            // The colour cube of xterm's palette.
            let levels = [0, 95, 135, 175, 215, 255]
            let place = Int(number) - 16
            parts = [place / 36, place / 6 % 6, place % 6].map { levels[$0] }
        default: return nil
        }
        return zip(parts, [0.2126, 0.7152, 0.0722]).reduce(0) { sum, part in
            let value = Double(part.0) / 255
            return sum + part.1 * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
        }
    }
}
