import type { MailTransport } from './mail.ts'

const RULE = '-'.repeat(80)
/** Nothing may move the cursor of a terminal. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Shows every mail to whoever watches the process: for development, since mail holds links that sign people in. */
export function consoleTransport(write: (text: string) => void): MailTransport {
  return {
    async send({ from, to, subject, text }) {
      const lines = [RULE, `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, '', text.trimEnd(), RULE, '']
      write(lines.join('\n').replace(/\r\n/g, '\n').replace(CONTROLS, ''))
    },
  }
}
