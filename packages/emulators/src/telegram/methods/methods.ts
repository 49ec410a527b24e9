import { deleteMessage, sendChatAction, setMessageReaction } from './actions.ts'
import { deleteMyCommands, getChat, getMe, getMyCommands, setMyCommands } from './bot.ts'
import type { Method } from './call.ts'
import { getFile, sendMedia, sendMediaGroup } from './media.ts'
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from './polling.ts'
import { editMessageCaption, editMessageText, sendMessage, sendMessageDraft, sendRichMessage } from './text.ts'

/** By name in lower case. */
const METHODS: Readonly<Record<string, Method>> = {
  getme: getMe,
  getupdates: getUpdates,
  setwebhook: setWebhook,
  deletewebhook: deleteWebhook,
  getwebhookinfo: getWebhookInfo,
  sendmessage: sendMessage,
  editmessagetext: editMessageText,
  editmessagecaption: editMessageCaption,
  deletemessage: deleteMessage,
  sendmessagedraft: sendMessageDraft,
  sendrichmessage: sendRichMessage,
  sendrichmessagedraft: sendMessageDraft,
  sendchataction: sendChatAction,
  setmessagereaction: setMessageReaction,
  sendphoto: sendMedia('photo'),
  senddocument: sendMedia('document'),
  sendvoice: sendMedia('voice'),
  sendaudio: sendMedia('audio'),
  sendvideo: sendMedia('video'),
  sendmediagroup: sendMediaGroup,
  getfile: getFile,
  getchat: getChat,
  setmycommands: setMyCommands,
  getmycommands: getMyCommands,
  deletemycommands: deleteMyCommands,
}

const NEWER: ReadonlySet<string> = new Set(['sendmessagedraft', 'sendrichmessage', 'sendrichmessagedraft'])

/** The method of that name, in lower case. `oldServer`: without drafts and rich messages. */
export function findMethod(name: string, oldServer: boolean): Method | undefined {
  return Object.hasOwn(METHODS, name) && !(oldServer && NEWER.has(name)) ? METHODS[name] : undefined
}
