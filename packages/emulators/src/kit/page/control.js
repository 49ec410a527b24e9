/** Calls a control operation of the emulator. @throws {Error} with the emulator's message */
export async function control(operation, options = {}) {
  const response = await fetch(`/control/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(options),
  })
  const answer = await response.json()
  if (!answer.ok) throw new Error(answer.error)
  return answer.result
}
