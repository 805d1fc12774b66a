-- The tables of a gradebook.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE learner (id TEXT PRIMARY KEY, name TEXT NOT NULL, section TEXT NOT NULL, extra_hours REAL NOT NULL);
CREATE TABLE submission (
  key TEXT PRIMARY KEY, path TEXT NOT NULL, digest TEXT NOT NULL, draws TEXT NOT NULL, at TEXT, late INTEGER NOT NULL,
  attempt INTEGER NOT NULL, error TEXT, answers TEXT NOT NULL DEFAULT '{}', notices TEXT NOT NULL DEFAULT '[]',
  graded INTEGER NOT NULL DEFAULT 0, present INTEGER NOT NULL DEFAULT 1, error_zh TEXT, signed TEXT,
  signature TEXT NOT NULL DEFAULT '');
CREATE TABLE member (submission TEXT NOT NULL, learner TEXT NOT NULL, PRIMARY KEY (submission, learner));
CREATE TABLE override (
  learner TEXT NOT NULL, part TEXT NOT NULL, points REAL NOT NULL, reason TEXT NOT NULL, author TEXT NOT NULL,
  at TEXT NOT NULL, PRIMARY KEY (learner, part));
CREATE TABLE setting (
  id INTEGER PRIMARY KEY, seed TEXT NOT NULL, course TEXT NOT NULL, versions TEXT NOT NULL, layers TEXT NOT NULL,
  unsafe INTEGER NOT NULL, UNIQUE (seed, course, versions, layers, unsafe));
CREATE TABLE run (id INTEGER PRIMARY KEY, at TEXT NOT NULL, seconds REAL NOT NULL, setting INTEGER NOT NULL);
CREATE TABLE content (id INTEGER PRIMARY KEY, digest TEXT NOT NULL, draws TEXT NOT NULL, UNIQUE (digest, draws));
CREATE TABLE version (id INTEGER PRIMARY KEY, question TEXT NOT NULL, version TEXT NOT NULL,
  UNIQUE (question, version));
CREATE TABLE result (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE unit (
  content INTEGER NOT NULL, version INTEGER NOT NULL, run INTEGER NOT NULL, result INTEGER NOT NULL,
  PRIMARY KEY (content, version)) WITHOUT ROWID;
CREATE INDEX submission_content ON submission (digest, draws);
CREATE TABLE change (
  id INTEGER PRIMARY KEY, save INTEGER NOT NULL, learner TEXT NOT NULL, part TEXT NOT NULL, before TEXT,
  after TEXT, author TEXT NOT NULL, at TEXT NOT NULL, undoes INTEGER, request INTEGER);
CREATE INDEX change_of ON change (learner, part, save);
CREATE INDEX change_save ON change (save);
