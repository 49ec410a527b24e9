import type { HostedAuth, MailMessage } from '@gatepost/auth'

/**
 * Renders one of the gateway's emails in the site's language, because the recipient's is unknown.
 * @param mail.name Template name below `gateway/email/`. @param mail.link Absolute URL for the recipient to open.
 * @param mail.values More values for the template.
 */
export async function gatewayMail(
  auth: HostedAuth,
  mail: {
    readonly name: string
    readonly to: string
    readonly link: string
    readonly values?: Readonly<Record<string, string>>
  },
): Promise<MailMessage> {
  const { name: template, to, link, values } = mail
  const { settings, templates, translations } = auth.kernel
  await translations.load(settings.languageCode)
  const t = translations.translator(settings.languageCode)
  const name = settings.siteName ?? new URL(link).host
  const site = { name, domain: settings.siteDomain ?? new URL(link).host }
  const context = { ...values, site, current_site: site, link, request: { language: settings.languageCode } }
  const prefix = `gateway/email/${template}`
  const subject = await templates.text(`${prefix}_subject`, context, t)
  return {
    from: settings.defaultFromEmail,
    to,
    subject: `[${name}] ${subject ?? ''}`.replaceAll(/[\s\p{Cc}]+/gu, ' '),
    text: (await templates.text(`${prefix}_message`, context, t)) ?? '',
    html: await templates.optionalPage(`${prefix}_message`, context, t),
    // prevents automatic replies (RFC 3834 section 5)
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
