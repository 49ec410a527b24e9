/** Id of the bot, set once the bots are known. */
let bot

/** Selects the bot for all operations. */
export const selectBot = (id) => {
  bot = id
}

/** Calls a control operation of the emulator. @throws {Error} with the emulator's message */
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

/** Returns the address of a file. */
export const fileAddress = (fileId) => `/control/file?${new URLSearchParams({ bot, file_id: fileId })}`
