/** Which bot is meant: set once the bots are known. */
let bot

export const talkAbout = (id) => {
  bot = id
}

/** One operation of the emulator's control interface. @throws {Error} with the emulator's words */
export async function control(operation, options = {}) {
  const response = await fetch(`/control/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bot === undefined ? options : { bot, ...options }),
  })
  const answer = await response.json()
  if (!answer.ok) throw new Error(answer.error)
  return answer.result
}

/** Where the browser gets a file from. */
export const fileAddress = (fileId) => `/control/file?${new URLSearchParams({ bot, file_id: fileId })}`
