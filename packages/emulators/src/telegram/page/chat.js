import { GROUP, PEOPLE, SWITCHES } from './cast.js'
import { putFormatted } from './format.js'
import { avatar, base64Of, make, nameOf, sizeOf } from './parts.js'

const query = new URLSearchParams(location.search)
const byId = (id) => document.getElementById(id)
const asked = Number(query.get('user'))
if (asked > 0 && !PEOPLE.some(({ id }) => id === asked)) PEOPLE.push({ id: asked, first_name: `User ${asked}` })

const state = { bot: null, person: PEOPLE.find(({ id }) => id === asked) ?? PEOPLE[0], inGroup: false, answering: null }
let drawn = ''
let typingUntil = 0
let blocked = false

const chatId = () => (state.inGroup ? GROUP.id : state.person.id)

async function control(operation, options = {}) {
  const response = await fetch(`/control/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(state.bot ? { bot: state.bot.id, ...options } : options),
  })
  const answer = await response.json()
  if (!answer.ok) throw new Error(answer.error)
  return answer.result
}

function drawPeople() {
  const entries = PEOPLE.map((person) => ({ person, inGroup: false, name: nameOf(person), note: 'private chat' }))
  for (const person of PEOPLE.slice(0, 2)) {
    entries.push({ person, inGroup: true, name: GROUP.title, note: `group, as ${person.first_name}` })
  }
  byId('people').replaceChildren(
    ...entries.map(({ person, inGroup, name, note }) => {
      const words = make('span', 'words', make('strong', '', name), make('small', '', note))
      const button = make('button', 'person', avatar(name, inGroup ? 9 : person.id), words)
      button.type = 'button'
      const isCurrent = person.id === state.person.id && inGroup === state.inGroup
      if (isCurrent) button.setAttribute('aria-current', 'true')
      button.addEventListener('click', () => choose(person, inGroup))
      return button
    }),
  )
}

function choose(person, inGroup) {
  Object.assign(state, { person, inGroup, answering: null })
  typingUntil = 0
  drawn = ''
  drawPeople()
  drawAnswering()
  void refreshSoon()
  byId('text').focus()
}

async function refresh() {
  const at = chatId()
  const [conversation, updates, faults] = await Promise.all([
    control('conversation', { chatId: at }),
    control('updates'),
    control('faults'),
  ])
  if (at !== chatId()) return
  blocked = conversation.obstacle === 'blocked'
  byId('pending').textContent = String(updates.pending.length)
  byId('title').textContent = state.inGroup ? GROUP.title : state.bot.name
  byId('avatar').textContent = (state.inGroup ? GROUP.title : state.bot.name).slice(0, 1)
  drawSwitches(faults)
  drawMessages(conversation)
  drawStatus()
}

function drawMessages({ messages, drafts }) {
  const now = JSON.stringify([chatId(), messages, drafts])
  if (now === drawn) return
  const list = byId('messages')
  const isAtEnd = drawn === '' || list.scrollHeight - list.scrollTop - list.clientHeight < 80
  drawn = now
  const items = messages.map(drawMessage)
  items.push(...drafts.map(drawDraft))
  if (items.length === 0) items.push(make('li', 'empty', 'Nothing here yet. Say hello.'))
  list.replaceChildren(...items)
  if (isAtEnd) list.scrollTop = list.scrollHeight
}

function drawMessage({ message, reactions, method, text }) {
  const isMine = message.from?.id === state.person.id
  const bubble = make('div', 'bubble')
  if (state.inGroup && !isMine) bubble.append(make('p', 'from', nameOf(message.from ?? { first_name: '' })))
  if (message.reply_to_message) bubble.append(drawQuote(message))
  drawFile(bubble, message)
  const body = make('div', 'body')
  putFormatted(body, text, message.entities ?? message.caption_entities)
  if (text !== '') bubble.append(body)
  const time = new Date(message.date * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const meta = make('p', 'meta', `${message.edit_date ? 'edited ' : ''}${time}${isMine ? ' ✓' : ''}`)
  bubble.append(meta)
  if (reactions.length > 0) bubble.append(make('p', 'reactions', reactions.map(({ emoji }) => emoji ?? '').join(' ')))
  const answer = make('button', 'reply', '↩')
  answer.type = 'button'
  answer.setAttribute('aria-label', `Answer: ${text.slice(0, 40)}`)
  answer.addEventListener('click', () => {
    state.answering = { id: message.message_id, text }
    drawAnswering()
    byId('text').focus()
  })
  return make('li', `message ${isMine ? 'mine' : 'theirs'}${method === '' ? '' : ' of-bot'}`, bubble, answer)
}

function drawQuote({ reply_to_message: answered, quote }) {
  const words = quote?.text ?? answered.text ?? answered.caption ?? 'File'
  return make('p', 'answered', make('strong', '', nameOf(answered.from)), make('span', '', words.slice(0, 120)))
}

function drawFile(bubble, message) {
  const photo = message.photo?.at(-1)
  const file = photo ?? message.document ?? message.voice ?? message.audio ?? message.video
  if (!file) return
  const address = `/control/file?${new URLSearchParams({ bot: state.bot.id, file_id: file.file_id })}`
  if (photo) {
    const image = make('img', 'photo')
    Object.assign(image, { src: address, alt: message.caption ?? 'Photo', width: photo.width, height: photo.height })
    return bubble.append(image)
  }
  const link = make(
    'a',
    'file',
    make('strong', '', file.file_name ?? 'Voice message'),
    make('small', '', sizeOf(file.file_size)),
  )
  Object.assign(link, { href: address, download: file.file_name ?? 'voice.oga' })
  bubble.append(link)
}

function drawDraft({ text, entities }) {
  const body = make('div', 'body')
  putFormatted(body, text, entities)
  body.append(make('span', 'caret'))
  const item = make('li', 'message theirs of-bot draft', make('div', 'bubble', body, make('p', 'meta', 'writing')))
  item.setAttribute('aria-live', 'off')
  return item
}

function drawStatus() {
  const isTyping = Date.now() < typingUntil
  const listening = state.bot?.polling ?? false
  byId('polling').textContent = listening ? 'yes' : 'no'
  byId('polling').dataset.on = String(listening)
  const status = byId('status')
  status.dataset.typing = String(isTyping && !blocked)
  status.textContent = blocked
    ? 'you blocked this bot'
    : isTyping
      ? 'typing'
      : state.inGroup
        ? `with ${state.bot.name}: write @${state.bot.username}`
        : `@${state.bot.username}`
}

function drawSwitches(faults) {
  const row = (label, hint, isOn, act) => {
    const button = make('button', 'switch', make('span', '', label), make('small', '', isOn ? 'on' : hint))
    button.type = 'button'
    button.setAttribute('aria-pressed', String(isOn))
    button.addEventListener('click', () => attempt(act))
    return button
  }
  const rows = SWITCHES.map(({ label, hint, spec, cuts }) => {
    const active = faults.find(
      (fault) => fault.spec.kind === spec.kind && (fault.spec.times === null) === (spec.times === null),
    )
    return row(label, hint, active !== undefined, async () => {
      if (active) return control('clearFaults', { id: active.id })
      await control('injectFault', spec)
      if (cuts) await control('dropConnections')
    })
  })
  if (!state.inGroup) {
    rows.push(row('Block the bot', '403', blocked, () => control(blocked ? 'unblock' : 'block', { chatId: chatId() })))
  }
  const focused = [...byId('switches').children].indexOf(document.activeElement)
  byId('switches').replaceChildren(...rows)
  rows[focused]?.focus()
}

function drawAnswering() {
  byId('answering').hidden = state.answering === null
  byId('answering-text').textContent = state.answering?.text.slice(0, 100) ?? ''
}

async function attempt(act) {
  try {
    await act()
    byId('problem').hidden = true
    await refresh()
  } catch (error) {
    byId('problem').textContent = error.message
    byId('problem').hidden = false
  }
}

async function send() {
  const box = byId('text')
  const file = byId('file').files[0]
  const text = box.value.trim()
  if (!file && text === '') return
  const options = {
    from: state.person,
    ...(state.inGroup && { chat: GROUP }),
    ...(state.answering && { replyTo: state.answering.id }),
  }
  if (file) {
    const kind = /^image\/(png|jpeg|gif|webp)$/.test(file.type) ? 'photo' : 'document'
    options[kind] = { name: file.name, mimeType: file.type, base64: await base64Of(file) }
    if (text !== '') options.caption = text
  } else options.text = text
  const { updateId } = await control('say', options)
  if (updateId === null)
    addToLog(blocked ? 'Not delivered: the bot is blocked' : 'Privacy mode: the bot did not get this')
  box.value = ''
  byId('file').value = ''
  Object.assign(state, { answering: null })
  drawAnswering()
  showAttachment()
}

function showAttachment() {
  const file = byId('file').files[0]
  byId('text').placeholder = file ? `Caption for ${file.name}` : 'Message'
  byId('composer').dataset.attached = String(Boolean(file))
}

function addToLog(words) {
  const time = new Date().toLocaleTimeString([], { hour12: false })
  byId('log').prepend(make('li', '', make('time', '', time), make('span', '', words)))
  while (byId('log').children.length > 40) byId('log').lastChild.remove()
}

let isRefreshing = false
let isStale = false
/** One refresh at a time; what happens meanwhile asks for one more. */
async function refreshSoon() {
  isStale = true
  if (isRefreshing) return
  isRefreshing = true
  while (isStale) {
    isStale = false
    await attempt(async () => undefined)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  isRefreshing = false
}

function onEvent(event) {
  if (event.type === 'polling') {
    state.bot.polling = event.waiting
    return drawStatus()
  }
  if (event.type === 'chat_action' && event.chatId === chatId()) {
    typingUntil = Date.now() + 5000
    setTimeout(drawStatus, 5050)
    return drawStatus()
  }
  if (event.type === 'fault_hit') addToLog(`${event.method} failed: ${event.kind.replaceAll('_', ' ')}`)
  if (event.type === 'updates_confirmed') addToLog(`Bot confirmed update ${event.upTo}`)
  if (event.type === 'message' && event.chatId === chatId()) typingUntil = 0
  void refreshSoon()
}

byId('composer').addEventListener('submit', (event) => {
  event.preventDefault()
  void attempt(send)
})
byId('text').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  byId('composer').requestSubmit()
})
byId('file').addEventListener('change', showAttachment)
byId('answering-stop').addEventListener('click', () => {
  state.answering = null
  drawAnswering()
})

const bots = await control('bots')
state.bot = bots.find(({ id }) => id === Number(query.get('bot'))) ?? bots[0]
drawPeople()
await attempt(async () => undefined)
const events = new EventSource(`/control/events?bot=${state.bot.id}`)
events.addEventListener('message', ({ data }) => onEvent(JSON.parse(data)))
events.addEventListener('open', () => void refreshSoon())
events.addEventListener('error', () => {
  byId('status').textContent = 'connection to the emulator lost, trying again'
})
byId('text').focus()
