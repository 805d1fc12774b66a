"""The instructor's side: collect, batch, gradebook, marks, regrade, analysis and export."""
