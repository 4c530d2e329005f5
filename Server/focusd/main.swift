import FocusServer

await FocusdProgram.main()
