import { defineTexts } from '../../../language/texts.ts'

/** Texts of the password section. */
export const passwordTexts = defineTexts({
  en: {
    change: 'Change password',
    set: 'Set a password',
    changeLead: 'Changing your password signs you out on all other devices.',
    setLead: 'You sign in with a passkey or a connected account. You can also set a password.',
    current: 'Current password',
    next: 'New password',
    hint: 'Use several unrelated words. Common passwords and passwords based on your personal details are rejected.',
    show: 'Show password',
    save: 'Save password',
    changed: 'Password changed. You’ve been signed out on all other devices.',
    isSet: 'Password set.',
  },
  zh: {
    change: '修改密码',
    set: '设置密码',
    changeLead: '修改密码后，其他设备将退出登录。',
    setLead: '您目前使用通行密钥或关联账号登录，也可以设置密码。',
    current: '当前密码',
    next: '新密码',
    hint: '建议使用几个互不相关的词组合。常见密码或包含个人信息的密码会被拒绝。',
    show: '显示密码',
    save: '保存密码',
    changed: '密码已修改，其他设备已退出登录。',
    isSet: '密码已设置。',
  },
})
