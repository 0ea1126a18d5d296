// closeout gate: asks closeout whether a session of opencode may stop, and sends what is left to do back to it. Written by
// `closeout hook install --gate`, removed by `closeout hook remove --gate`. An error here never holds a session.
import { spawn } from "node:child_process"

const PROGRAM = "@CLOSEOUT@"
const MOST_ANSWER = 1 << 20
const MOST_KNOWN = 256

const ask = (payload) =>
  new Promise((resolve) => {
    try {
      const gate = spawn(PROGRAM, ["hook", "stop", "--agent", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
      let answer = ""
      gate.stdout.on("data", (piece) => {
        if (answer.length < MOST_ANSWER) answer += piece
      })
      gate.on("error", () => resolve(undefined))
      gate.on("close", () => {
        try {
          resolve(JSON.parse(answer))
        } catch {
          resolve(undefined)
        }
      })
      gate.stdin.on("error", () => {})
      gate.stdin.end(JSON.stringify(payload))
    } catch {
      resolve(undefined)
    }
  })

export const CloseoutGate = async ({ client, directory }) => {
  // Sessions that another one began: they report to it, and stop when they like.
  const children = new Set()
  // What was sent to a session that was held back, until a person writes something else.
  const held = new Map()
  const asking = new Set()

  const idle = async (session) => {
    if (typeof session !== "string" || children.has(session) || asking.has(session)) return
    asking.add(session)
    try {
      const answer = await ask({
        hook_event_name: "session.idle",
        session_id: session,
        cwd: directory,
        stop_hook_active: held.has(session),
      })
      if (answer?.decision !== "block" || typeof answer.reason !== "string") return
      if (held.size >= MOST_KNOWN && !held.has(session)) held.delete(held.keys().next().value)
      held.set(session, answer.reason)
      const request = { path: { id: session }, body: { parts: [{ type: "text", text: answer.reason }] } }
      await (client.session.promptAsync ?? client.session.prompt).call(client.session, request)
    } catch {
    } finally {
      asking.delete(session)
    }
  }

  return {
    event: async ({ event }) => {
      try {
        const of = event?.properties ?? {}
        if (event?.type === "session.created" && typeof of.info?.parentID === "string") children.add(of.info.id)
        // A session that was broken off, or whose model failed, is not sent on.
        if (event?.type === "session.error") held.delete(of.sessionID)
        if (event?.type === "session.idle") void idle(of.sessionID)
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const text = (output?.parts ?? []).map((part) => part?.text ?? "").join("")
        if (held.has(input?.sessionID) && text.trim() !== held.get(input.sessionID).trim()) held.delete(input.sessionID)
      } catch {}
    },
  }
}
