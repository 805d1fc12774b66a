"""Texts that only the instructor's pages use."""

from __future__ import annotations

from collections.abc import Mapping

from grader.core.model import Text
from grader.web.words import WORDS as PAGE_WORDS

WORDS: Mapping[str, Text] = {
    # navigation
    "class": Text("Class", "全班"),
    "questions": Text("Questions", "题目"),
    "misconceptions": Text("Misconceptions", "误解"),
    "marking": Text("Marking", "批改"),
    "requests": Text("Requests", "重评申请"),
    "similar": Text("Similar", "相似解答"),
    "downloads": Text("Downloads", "下载"),
    "changes": Text("Changes", "改动记录"),
    **{name: PAGE_WORDS[name] for name in ("language", "offline", "skip_link")},  # of the frame of every page
    "problem": Text("That did not work", "出错了"),
    "back": Text("Back to the class", "回到全班"),
    # the class
    "apply": Text("Apply", "应用"),
    "clear": Text("Show everyone", "显示所有人"),
    "everyone": Text("Everyone", "所有人"),
    "every_section": Text("Every section", "所有班级"),
    "found": Text("{shown} of {all} learners", "{all} 人中的 {shown} 人"),
    "nobody": Text("Nobody matches.", "没有符合条件的人。"),
    "pages": Text("Pages", "页"),
    "unmatched": Text(
        "Submissions that belong to nobody in the class: {names}. Add their authors to the roster, and grade again.",
        "不属于班上任何人的提交：{names}。请把作者加进名单，再评一次。",
    ),
    "previous": Text("Previous", "上一页"),
    "next": Text("Next", "下一页"),
    "page_of": Text("Page {page} of {pages}", "第 {page} 页，共 {pages} 页"),
    "person_waits": Text("need a person: {count}", "{count} 人需要人工处理"),
    "open_requests": Text("open requests: {count}", "{count} 条未答复的申请"),
    # a learner
    "points": Text("Points", "得分"),
    "section": Text("Section", "班级"),
    "status": Text("Status", "状态"),
    "history": Text("Submissions", "提交记录"),
    "nothing_submitted": Text("Nothing was submitted.", "没有提交。"),
    "submitted": Text("Submitted", "提交时间"),
    "attempt": Text("Attempt", "第几次"),
    "receipt": Text("Receipt", "回执"),
    "counts": Text("counts", "计入成绩"),
    "unknown_time": Text("time unknown", "时间不详"),
    "shown": Text("shown below", "下面显示的是这一次"),
    "show_report": Text("Show the report", "显示报告"),
    "not_graded": Text("Nothing was graded, so there is no report.", "没有评分结果，所以没有报告。"),
    "older": Text("no longer in the collection", "已不在这批提交中"),
    "by_hand": Text("Points given by hand", "人工给分"),
    "no_overrides": Text("None.", "没有。"),
    "part": Text("Item or exercise", "小题或练习"),
    "new_points": Text("Points", "分数"),
    "reason": Text("Reason", "理由"),
    "author": Text("By", "给分人"),
    "when": Text("When", "时间"),
    "remove": Text("Remove", "撤销"),
    "remove_what": Text("Remove the points given for {part}", "撤销 {part} 的人工给分"),
    "give": Text("Give points", "给分"),
    "give_hint": Text(
        "They replace the points earned, survive regrading, and are shown with the reason.",
        "这里给的分代替原得分，重新评分后仍然有效，并与理由一起显示。",
    ),
    "beyond": Text("allow more than the maximum, or less than zero", "允许超过满分或低于零分"),
    "choose": Text("choose", "请选择"),
    "answers": Text("Answers", "答案"),
    "report": Text("Report", "报告"),
    "page_file": Text("Download the page for the learner", "下载给学习者的网页"),
    "saved": Text("Saved.", "已保存。"),
    "removed": Text("Removed: the earned points count again.", "已撤销，恢复原来的得分。"),
    # items and exercises
    "item": Text("Item", "小题"),
    "earned": Text("Mean score", "得分率"),
    "discrimination": Text("Discrimination", "区分度"),
    "tried": Text("Answered", "作答人数"),
    "tried_code": Text("Tried", "提交人数"),
    "negative": Text(
        "Learners who do well elsewhere do worse here: check the key and the wording first.",
        "其他题做得好的人，这里反而更差：先检查答案和措辞。",
    ),
    "no_statistics": Text("Nobody has answered yet.", "还没有人作答。"),
    "key": Text("Correct answer", "正确答案"),
    "personal": Text("Each learner has numbers of their own.", "每名学习者的数据不同。"),
    "distribution": Text("Answers given", "答案分布"),
    "answer": Text("Answer", "答案"),
    "verdict": Text("Verdict", "结论"),
    "learners": Text("Learners", "学习者"),
    "who": Text("Who", "名单"),
    "more_answers": Text("{count} rarer answers are not shown.", "另有 {count} 种较少见的答案未显示。"),
    "believed": Text("Common misconceptions", "常见误解"),
    "no_beliefs": Text("No misconceptions appeared.", "没有出现误解。"),
    "borrowed": Text("Answered with someone else’s numbers", "用了别人的数据作答"),
    "borrowed_hint": Text(
        "Wrong for the learner’s own numbers, correct for those of others in the class. There are only a few sets of "
        "numbers, so one such answer means little. It is a reason to ask, never proof.",
        "对本人的数据是错的，对班上别人的数据却是对的。数据只有几组，所以一次说明不了什么。这只是询问的理由，绝不是证据。",
    ),
    "no_borrowed": Text("No such answers.", "没有这样的答案。"),
    "right_for": Text("correct for {theirs}; own numbers: {own}", "对 {theirs} 是对的；本人的数据：{own}"),
    "sources_all": Text("Their numbers fit all these answers", "拥有所有这些数据的人"),
    "nobody_has_all": Text("nobody", "没有"),
    "and_more": Text("and {count} more", "另有 {count} 人"),
    "checks": Text("Checks and cases", "检查与用例"),
    "check": Text("Check", "检查"),
    "case": Text("Case", "用例"),
    "hidden": Text("hidden", "隐藏"),
    "public": Text("public", "公开"),
    "passed": Text("Passed", "通过率"),
    "failing": Text("Who does not pass", "未通过的人"),
    "results": Text("Results", "结果"),
    "no_code": Text("Nobody has submitted code for this exercise.", "还没有人提交这个练习的代码。"),
    "all_questions": Text("Items and exercises", "逐题数据"),
    "mistake": Text("Most frequent mistake", "最常见的错误"),
    # misconceptions
    "week": Text("Last seven days", "最近七天"),
    "all_time": Text("All work", "全部提交"),
    "period": Text("Period", "时段"),
    "nothing_week": Text("No misconceptions appeared in these seven days.", "这几天没有出现误解。"),
    "rarer": Text("{count} rarer misconceptions are not shown.", "另有 {count} 个较少见的误解未显示。"),
    "of_class": Text("{count} of {all} learners", "{all} 人中的 {count} 人"),
    "before": Text("{count} earlier", "此前 {count} 人"),
    "ask": Text("Ask the class", "在课堂上问一问"),
    "where": Text("Where it showed", "出现在"),
    # marking
    "unread": Text("Answers that could not be read", "无法读取的答案"),
    "unread_hint": Text("Give points on the learner’s page.", "请在学习者的页面上给分。"),
    "more_unread": Text("{count} more", "另有 {count} 个"),
    "nothing_waits": Text("No answers are waiting to be marked.", "没有等待批改的回答。"),
    "waits": Text("groups: {groups}, answers: {answers}", "{groups} 组，{answers} 份回答"),
    "wordings": Text("Wordings", "说法"),
    "wordings_hint": Text(
        "Similar words can mean opposite things: deselect answers that should be marked differently.",
        "措辞相近，意思可能相反：应当分开批改的，请取消勾选。",
    ),
    "key_points": Text("Key points that it makes", "说到了哪些要点"),
    "none_ticked": Text("No key point ticked: 0 points.", "一个也不勾选：0 分。"),
    "comment": Text("Comment", "评语"),
    "comment_hint": Text(
        "Saved with the points; earlier comments on this item are offered.", "与分数一起保存；会提供这道题用过的评语。"
    ),
    "mark": Text("Save", "保存"),
    "marked": Text("{count} answers marked.", "已批改 {count} 份回答。"),
    "sample": Text("Sample answer", "参考答案"),
    "times": Text("{count}×", "{count} 份"),
    "group": Text("Group {number} of {all}", "第 {number} 组，共 {all} 组"),
    "more_groups": Text("{count} more groups follow.", "后面还有 {count} 组。"),
    # requests
    "open": Text("Open", "未答复"),
    "answered": Text("Answered", "已答复"),
    "no_requests": Text("No open requests.", "没有未答复的申请。"),
    "reply": Text("Answer to the learner", "给学习者的答复"),
    "reply_points": Text("New points (leave empty to change nothing)", "新的分数（不改就留空）"),
    "reply_button": Text("Answer", "答复"),
    "out_of": Text("of {possible}", "满分 {possible}"),
    "now_earned": Text("now {earned} of {possible}", "目前 {earned} / {possible}"),
    # similar
    "similar_solutions": Text("Similar solutions", "相似的解答"),
    "clusters": Text("Clusters", "相似的组"),
    "more_clusters": Text("{count} more clusters are not listed.", "另有 {count} 组未列出。"),
    "more_couples": Text("{count} more couples are not shown.", "另有 {count} 对未显示。"),
    "cluster": Text("Similar solutions, cluster {number}", "相似解答，第 {number} 组"),
    "all_clusters": Text("All clusters", "所有组"),
    # downloads
    "make": Text("Create", "生成"),
    "pseudonyms": Text("pseudonyms in place of names", "用化名代替姓名"),
    "with_checks": Text("a row for each item and check", "每道小题、每项检查各占一行"),
    "bom": Text("byte-order mark, for Excel", "加上字节顺序标记，供 Excel 使用"),
    "template": Text("File downloaded from the course system", "从课程平台下载的文件"),
    "column": Text("Column to fill in", "要填写的列"),
    "roster": Text("Roster with numbers and addresses (needed for groups)", "带学号和邮箱的名单（小组需要）"),
    "ready": Text("Ready", "已生成"),
    "save_file": Text("Save {name}", "保存 {name}"),
    "remarks": Text("Please note", "请注意"),
    "gone": Text("This file is no longer available; create it again.", "这个文件已经不在了，请重新生成。"),
    "one_file": Text("A folder is saved as a zip.", "文件夹会打包成 zip。"),
    # changes
    "no_changes": Text("Nothing has been changed here yet.", "还没有改动。"),
    "did": Text("What", "内容"),
    "about": Text("About", "对象"),
}

#: The actions in the log of changes.
ACTIONS: Mapping[str, Text] = {
    "gave points": Text("gave points", "给分"),
    "removed override": Text("removed points given by hand", "撤销人工给分"),
    "marked answers": Text("marked answers", "批改回答"),
    "answered request": Text("answered a request", "答复申请"),
    "downloaded": Text("downloaded", "下载"),
    "signed in": Text("signed in", "登录"),
    "signed out": Text("signed out", "退出"),
}

#: Descriptions of the downloads; those of the command mention its options.
FORMATS: Mapping[str, Text] = {
    "canvas": Text(
        "The gradebook CSV from Canvas (Grades → Export), with one assignment filled in.",
        "从 Canvas 导出的成绩册 CSV（成绩 → 导出），填好其中一项作业。",
    ),
    "canvas-feedback": Text(
        "A zip that attaches each learner’s report to their submission in Canvas (Upload Submissions). If the graded "
        "zip from Download Submissions no longer exists, upload it again.",
        "把每名学习者的报告附在其 Canvas 提交上的 zip（用 Upload Submissions 上传）。"
        "如果当初评分用的、从 Download Submissions 得到的 zip 已不在，请再给一次。",
    ),
    "csv": Text("A table with a row for each learner.", "每名学习者一行的表格。"),
    "gradescope": Text(
        "A results.json of Gradescope for each submission.", "每份提交一个 Gradescope 的 results.json。"
    ),
    "html": Text("A page for each learner, and an index of the class.", "每名学习者一页，另有全班目录。"),
    "json": Text("The whole gradebook, for programs.", "整本成绩册，供程序使用。"),
    "junit": Text("A JUnit XML file for each learner.", "每名学习者一个 JUnit XML 文件。"),
    "moodle": Text(
        "The grading worksheet from Moodle, with grades and feedback filled in.",
        "从 Moodle 下载的评分表，填好成绩和评语。",
    ),
    "reports": Text("A JSON report for each submission.", "每份提交一个 JSON 报告。"),
}
