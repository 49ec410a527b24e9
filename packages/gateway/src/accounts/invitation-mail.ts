import type { Core, MailMessage } from '@gatepost/auth'

/** The mail that an invitation is sent by, in the language of the site: nobody knows yet who reads it. */
export async function invitationMail(core: Core, to: string, link: string): Promise<MailMessage> {
  const { settings, templates, translations } = core
  await translations.load(settings.languageCode)
  const t = translations.translator(settings.languageCode)
  const name = settings.siteName ?? new URL(link).host
  const site = { name, domain: settings.siteDomain ?? new URL(link).host }
  const context = { site, current_site: site, link, request: { language: settings.languageCode } }
  const prefix = 'gateway/email/invitation'
  const subject = await templates.text(`${prefix}_subject`, context, t)
  return {
    from: settings.defaultFromEmail,
    to,
    subject: `[${name}] ${subject ?? ''}`.replaceAll(/[\s\p{Cc}]+/gu, ' '),
    text: (await templates.text(`${prefix}_message`, context, t)) ?? '',
    html: await templates.optionalPage(`${prefix}_message`, context, t),
    // No vacation notice or ticket system answers it (RFC 3834 section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
