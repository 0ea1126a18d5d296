// closeout: tells closeout what the sessions of opencode do. Written by `closeout hook install`, removed
// by `closeout hook remove`. It starts a short program at each event, waits for nothing, and an error
// here never reaches opencode.
import { spawn } from "node:child_process"

const PROGRAM = "@CLOSEOUT@"
// More than closeout keeps, so that it knows of what was cut.
const TEXT = 4100
const MOST_KNOWN = 256

const cut = (text) => (typeof text === "string" ? text.slice(0, TEXT) : undefined)

const words = (input) => {
  const picked = {}
  for (const key of ["command", "filePath", "path", "url", "pattern", "query", "description"]) {
    if (typeof input?.[key] === "string") picked[key] = cut(input[key])
  }
  const question = input?.questions?.[0]?.question
  if (typeof question === "string") picked.questions = [{ question: cut(question) }]
  return picked
}

export const Closeout = async ({ directory }) => {
  // Sessions that another one began, each with the one that a person sees.
  const parents = new Map()
  // What each session does, so that it is told once.
  const known = new Map()

  const note = (map, key, value) => {
    if (map.size >= MOST_KNOWN && !map.has(key)) map.delete(map.keys().next().value)
    map.set(key, value)
  }

  const tell = (name, session, more) => {
    try {
      if (typeof session !== "string") return
      const root = parents.get(session)
      const payload = { hook_event_name: name, session_id: root ?? session, cwd: directory, at: Date.now(), ...more }
      if (root !== undefined) payload.agent_id = session
      const hook = spawn(PROGRAM, ["hook", "event", "--agent", "opencode"], {
        stdio: ["pipe", "ignore", "ignore"],
        detached: false,
      })
      hook.on("error", () => {})
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(payload))
      hook.unref?.()
    } catch {}
  }

  const created = (info) => {
    if (typeof info?.parentID !== "string") return tell("session.created", info?.id)
    note(parents, info.id, parents.get(info.parentID) ?? info.parentID)
    tell("subagent.started", info.id)
  }

  const status = (id, type) => {
    // A retry is work too.
    const name = type !== "idle" ? "session.busy" : parents.has(id) ? "subagent.stopped" : "session.idle"
    if (known.get(id) === name) return
    note(known, id, name)
    tell(name, id)
  }

  const failed = (id, error) => {
    const message = cut(error?.data?.message ?? error?.message ?? error?.name)
    tell(error?.name === "MessageAbortedError" ? "session.aborted" : "session.error", id, { error: message })
  }

  return {
    event: async ({ event }) => {
      try {
        const of = event?.properties ?? {}
        switch (event?.type) {
          case "session.created":
            return created(of.info)
          case "session.deleted":
            return tell("session.deleted", of.info?.id ?? of.sessionID)
          case "session.status":
            return status(of.sessionID, of.status?.type)
          case "session.error":
            return failed(of.sessionID, of.error)
          case "session.compacted":
            return tell("session.compacted", of.sessionID, { trigger: "auto" })
          case "permission.asked":
          case "permission.updated":
            return tell("permission.asked", of.sessionID, {
              tool_name: cut(of.permission ?? of.type),
              tool_use_id: cut(of.id),
              tool_input: { command: cut(of.metadata?.command ?? of.patterns?.join?.(", ") ?? of.title) },
            })
          case "permission.replied":
            return tell("permission.replied", of.sessionID, { tool_use_id: cut(of.requestID ?? of.permissionID) })
          case "question.asked":
            return tell("question.asked", of.sessionID, {
              tool_name: "question",
              tool_use_id: cut(of.id),
              tool_input: words(of),
            })
          case "question.replied":
          case "question.rejected":
            return tell(event.type, of.sessionID, { tool_use_id: cut(of.requestID) })
        }
      } catch {}
    },
    "chat.message": async (input) => tell("chat.message", input?.sessionID),
    "tool.execute.before": async (input, output) => {
      try {
        // It is told by its own event, with the id that the answer names.
        if (input?.tool === "question") return
        const more = { tool_name: cut(input?.tool), tool_use_id: cut(input?.callID), tool_input: words(output?.args) }
        tell("tool.execute.before", input?.sessionID, more)
      } catch {}
    },
    "tool.execute.after": async (input) =>
      tell("tool.execute.after", input?.sessionID, { tool_name: cut(input?.tool), tool_use_id: cut(input?.callID) }),
  }
}
