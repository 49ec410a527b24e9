import { pasteGuide } from '../../setup/paste.ts'

/** @see Telegram, "Bots: an introduction", BotFather */
export const telegramSetups = [
  pasteGuide({
    title: 'Paste a bot token',
    url: 'https://t.me/BotFather',
    instructions: [
      'Open https://t.me/BotFather in Telegram and send /newbot.',
      'Choose a display name, then a user name that ends in "bot".',
      'Copy the token that BotFather answers with. You have a bot already? Send /mybots, choose it, then "API Token".',
    ],
    fields: [{ name: 'bot_token', label: 'the bot token', secret: true }],
  }),
]
