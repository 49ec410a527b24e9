import { defineTexts } from '../../language/texts.ts'

/** What can go wrong on this page, where the console says it better than the service, or the service does not know. */
export const problemTexts = defineTexts({
  en: {
    wait: (span: string) => `That was too often. Try again in ${span}.`,
    once: 'That was too often. Wait a moment, then try again.',
    codes: {
      step_over: 'This is over, or was done already. Begin it again.',
      incorrect_code: 'That did not work. Try again.',
      mail_not_sent: 'A mail was sent just before. Look among the unwanted mail too, or wait three minutes.',
      no_more_codes:
        'No further code is sent to this address. Look among the unwanted mail too, or remove the address and add it again.',
      unverified_email:
        'First prove that your e-mail addresses are yours, so that nobody can lock their real owner out. Then come back.',
      add_email_blocked:
        'While two-step sign-in is on, no address can be added. Turn it off, add the address, and turn it on again.',
      cannot_delete_authenticator:
        'This is your last second factor, and staff must have one here. Set up another one first.',
      passkey_given_up: 'No passkey came of it: it was cancelled, or took too long. Try again when you are ready.',
      passkey_known: 'This device or key is registered already.',
      passkey_wrong_host: 'Browsers do not allow passkeys at this address.',
      passkey_unsupported: 'This browser or device does not know passkeys.',
      passkey_failed: 'The browser could not make a passkey. Try another browser or device.',
    },
  },
  zh: {
    wait: (span) => `操作过于频繁，请在 ${span}后再试。`,
    once: '操作过于频繁，请稍候再试。',
    codes: {
      step_over: '此步骤已结束或已完成，请重新开始。',
      incorrect_code: '验证失败，请重试。',
      mail_not_sent: '刚刚已经发送过邮件。请检查垃圾邮件，或在三分钟后再试。',
      no_more_codes: '不会再向此邮箱发送验证码。请检查垃圾邮件，或移除该邮箱后重新添加。',
      unverified_email: '请先验证您的所有邮箱地址，以免他人将真正的主人拒之门外，然后再回来设置。',
      add_email_blocked: '启用两步验证时无法添加邮箱。请先关闭两步验证，添加邮箱后再重新启用。',
      cannot_delete_authenticator: '这是您最后一种两步验证方式，管理员必须至少保留一种。请先设置另一种。',
      passkey_given_up: '未能完成：操作已取消或超时。准备好后请重试。',
      passkey_known: '此设备或密钥已经添加过。',
      passkey_wrong_host: '浏览器不允许在此地址使用通行密钥。',
      passkey_unsupported: '此浏览器或设备不支持通行密钥。',
      passkey_failed: '浏览器无法创建通行密钥，请换一个浏览器或设备。',
    },
  },
})
