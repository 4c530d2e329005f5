#pragma once
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <wchar.h>
#include <curses.h>

// Declared in <term.h>, beside hundreds of macros with names such as `lines`.
extern char *tigetstr(const char *);
extern int tigetflag(const char *);

// What ncurses gives as macros with parameters, or as variables.

static inline attr_t lockstep_bold(void) { return A_BOLD; }
static inline attr_t lockstep_dim(void) { return A_DIM; }
static inline attr_t lockstep_reverse(void) { return A_REVERSE; }
static inline attr_t lockstep_underline(void) { return A_UNDERLINE; }

static inline int lockstep_colour_count(void) { return COLORS; }

/// The window that is the whole screen.
static inline WINDOW *lockstep_window(void) { return stdscr; }

/// Has all of the screen written anew with the next refresh.
static inline void lockstep_forget_screen(void) { clearok(curscr, TRUE); }

/// Puts a character, and the marks that combine with it, into a cell.
static inline void lockstep_put(
    WINDOW *window, int row, int column, const wchar_t *text, attr_t attributes, int pair) {
    cchar_t cell;
    if (setcchar(&cell, text, attributes, 0, &pair) == OK) mvwadd_wch(window, row, column, &cell);
}
